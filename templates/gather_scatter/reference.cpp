// One element after another. filter: none (0), negative addresses (1), negative elements (2), flags that are zero (3).
extern "C" void gather_scatter_reference(const float* input, const int* addresses, const unsigned char* flags,
                                         float* output, long long size, int scatter, int filter) {
  for (long long i = 0; i < size; ++i) {
    if (filter == 1 && addresses[i] < 0) continue;
    if (filter == 3 && flags[i] == 0) continue;
    const long long from = scatter ? i : addresses[i];
    const long long to = scatter ? addresses[i] : i;
    if (filter == 2 && input[from] < 0.0f) continue;
    output[to] = input[from];
  }
}
