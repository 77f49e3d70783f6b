// One element after another. Segments are given by flags or by identifiers.
extern "C" void segmented_scan_reference(const int* input, const unsigned char* flags, const int* ids, int* output,
                                         long long size, int by_flags) {
  int sum = 0;
  for (long long i = 0; i < size; ++i) {
    const bool head = by_flags ? flags[i] != 0 : i > 0 && ids[i] != ids[i - 1];
    sum = head ? input[i] : sum + input[i];
    output[i] = sum;
  }
}
