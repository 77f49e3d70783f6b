// Counted one after another. Bytes or 32-bit integers; numbers that are no bin's count for nothing.
extern "C" void histogram_reference(const unsigned char* input, unsigned* result, long long size, int bins,
                                    int of_bytes) {
  for (int bin = 0; bin < bins; ++bin) result[bin] = 0;
  for (long long i = 0; i < size; ++i) {
    const unsigned bin = of_bytes ? input[i] : reinterpret_cast<const unsigned*>(input)[i];
    if (bin < static_cast<unsigned>(bins)) ++result[bin];
  }
}
