// Counting sorts by 16 bits, twice, which keep the order of equal keys. Keys lie in 32 parts, which are counted and put
// in their places by any core: those of a digit go where the parts before left off. with_values: 0 or 1. scratch,
// values_scratch: as input and values; counters: 65,536 for each part.
#include <algorithm>

extern "C" void radix_sort_reference(const unsigned* input, const unsigned* values, unsigned* output,
                                     unsigned* values_output, unsigned* scratch, unsigned* values_scratch,
                                     unsigned* counters, long long size, int with_values) {
  constexpr int parts = 32, digits = 65536;
  const long long part_size = (size + parts - 1) / parts;
  for (int shift = 0; shift < 32; shift += 16) {
    const unsigned* from = shift == 0 ? input : scratch;
    const unsigned* values_from = shift == 0 ? values : values_scratch;
    unsigned* to = shift == 0 ? scratch : output;
    unsigned* values_to = shift == 0 ? values_scratch : values_output;
#pragma omp parallel for schedule(dynamic, 1)
    for (int part = 0; part < parts; ++part) {
      unsigned* own = counters + part * digits;
      std::fill_n(own, digits, 0u);
      for (long long i = part * part_size; i < std::min((part + 1) * part_size, size); ++i)
        ++own[from[i] >> shift & 0xffff];
    }
    unsigned before = 0;
    for (int digit = 0; digit < digits; ++digit)
      for (int part = 0; part < parts; ++part) {
        const unsigned count = counters[part * digits + digit];
        counters[part * digits + digit] = before;
        before += count;
      }
#pragma omp parallel for schedule(dynamic, 1)
    for (int part = 0; part < parts; ++part) {
      unsigned* own = counters + part * digits;
      for (long long i = part * part_size; i < std::min((part + 1) * part_size, size); ++i) {
        const unsigned place = own[from[i] >> shift & 0xffff]++;
        to[place] = from[i];
        if (with_values) values_to[place] = values_from[i];
      }
    }
  }
}
