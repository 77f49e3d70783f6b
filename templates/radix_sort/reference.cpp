// Counting sorts by 16 bits, twice, which keep the order of equal keys. with_values: 0 or 1. scratch,
// values_scratch: as input and values; counters: 65,536.
extern "C" void radix_sort_reference(const unsigned* input, const unsigned* values, unsigned* output,
                                     unsigned* values_output, unsigned* scratch, unsigned* values_scratch,
                                     unsigned* counters, long long size, int with_values) {
  for (int shift = 0; shift < 32; shift += 16) {
    const unsigned* from = shift == 0 ? input : scratch;
    const unsigned* values_from = shift == 0 ? values : values_scratch;
    unsigned* to = shift == 0 ? scratch : output;
    unsigned* values_to = shift == 0 ? values_scratch : values_output;
    for (int i = 0; i < 65536; ++i) counters[i] = 0;
    for (long long i = 0; i < size; ++i) ++counters[from[i] >> shift & 0xffff];
    unsigned before = 0;
    for (int i = 0; i < 65536; ++i) {
      const unsigned count = counters[i];
      counters[i] = before;
      before += count;
    }
    for (long long i = 0; i < size; ++i) {
      const unsigned place = counters[from[i] >> shift & 0xffff]++;
      to[place] = from[i];
      if (with_values) values_to[place] = values_from[i];
    }
  }
}
