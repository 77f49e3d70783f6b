// Sorted integers with many equal ones, some shared by both arrays of a pair. The random numbers are splitmix64's
// (Steele et al. 2014), a hash of a counter.
static unsigned hashed(unsigned long long i) {
  unsigned long long x = i + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<unsigned>((x ^ (x >> 31)) >> 32);
}

static void climb(int* values, long long size, unsigned long long seed) {
  int value = -1000;
  for (long long i = 0; i < size; ++i) {
    const unsigned bits = hashed(seed + static_cast<unsigned long long>(i));
    value += bits % 2 == 0 ? 0 : static_cast<int>(bits / 2 % 4);
    values[i] = value;
  }
}

extern "C" void sorted_arrays(int* a, int* b, long long a_size, long long b_size, long long pairs) {
  for (long long pair = 0; pair < pairs; ++pair) {
    climb(a + pair * a_size, a_size, 1 + static_cast<unsigned long long>(pair * a_size));
    climb(b + pair * b_size, b_size, (1ull << 40) + static_cast<unsigned long long>(pair * b_size));
  }
}
