// Counting sorts by 16 bits, twice. scratch: `size` keys; counters: 65,536.
extern "C" void radix_sort_reference(const unsigned* input, unsigned* output, unsigned* scratch, unsigned* counters,
                                     long long size) {
  for (int shift = 0; shift < 32; shift += 16) {
    const unsigned* from = shift == 0 ? input : scratch;
    unsigned* to = shift == 0 ? scratch : output;
    for (int i = 0; i < 65536; ++i) counters[i] = 0;
    for (long long i = 0; i < size; ++i) ++counters[from[i] >> shift & 0xffff];
    unsigned before = 0;
    for (int i = 0; i < 65536; ++i) {
      const unsigned count = counters[i];
      counters[i] = before;
      before += count;
    }
    for (long long i = 0; i < size; ++i) to[counters[from[i] >> shift & 0xffff]++] = from[i];
  }
}
