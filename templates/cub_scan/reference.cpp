// Prefix sums one after another. exclusive: 0 or 1.
extern "C" void scan_reference(const int* input, int* output, long long size, int exclusive) {
  int sum = 0;
  for (long long i = 0; i < size; ++i) {
    const int before = sum;
    sum += input[i];
    output[i] = exclusive ? before : sum;
  }
}
