// Counting sorts by 16 bits, twice; flipping the sign bit makes the order of integers that of unsigned ones. scratch:
// `size` keys; counters: 65,536.
static unsigned digit(int key, int shift) {
  return (static_cast<unsigned>(key) ^ 0x80000000u) >> shift & 0xffff;
}

extern "C" void sorted_integers(const int* input, int* output, int* scratch, unsigned* counters, long long size) {
  for (int shift = 0; shift < 32; shift += 16) {
    const int* from = shift == 0 ? input : scratch;
    int* to = shift == 0 ? scratch : output;
    for (int i = 0; i < 65536; ++i) counters[i] = 0;
    for (long long i = 0; i < size; ++i) ++counters[digit(from[i], shift)];
    unsigned before = 0;
    for (int i = 0; i < 65536; ++i) {
      const unsigned count = counters[i];
      counters[i] = before;
      before += count;
    }
    for (long long i = 0; i < size; ++i) to[counters[digit(from[i], shift)]++] = from[i];
  }
}
