// Pair by pair, one element after another.
extern "C" void merge_reference(const int* a, const int* b, int* result, long long a_size, long long b_size,
                                long long pairs) {
  for (long long pair = 0; pair < pairs; ++pair, a += a_size, b += b_size) {
    long long i = 0;
    long long j = 0;
    while (i < a_size || j < b_size) {
      const bool from_a = j == b_size || (i < a_size && a[i] <= b[j]);
      *result++ = from_a ? a[i++] : b[j++];
    }
  }
}
