// Counted one after another, by each core in a part of the elements. Bytes or 32-bit integers; numbers that are no
// bin's count for nothing.
#include <vector>

extern "C" void histogram_reference(const unsigned char* input, unsigned* result, long long size, int bins,
                                    int of_bytes) {
  for (int bin = 0; bin < bins; ++bin) result[bin] = 0;
#pragma omp parallel
  {
    std::vector<unsigned> counts(bins, 0);
#pragma omp for
    for (long long i = 0; i < size; ++i) {
      const unsigned bin = of_bytes ? input[i] : reinterpret_cast<const unsigned*>(input)[i];
      if (bin < static_cast<unsigned>(bins)) ++counts[bin];
    }
#pragma omp critical
    for (int bin = 0; bin < bins; ++bin) result[bin] += counts[bin];
  }
}
