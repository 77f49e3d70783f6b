// One element after another. kind: 1 flags, 2 identifiers.
extern "C" void segmented_scan_reference(const int* input, const unsigned char* flags, const int* ids, int* output,
                                         long long size, int kind) {
  int sum = 0;
  for (long long i = 0; i < size; ++i) {
    const bool head = kind == 1 ? flags[i] != 0 : i > 0 && ids[i] != ids[i - 1];
    sum = head ? input[i] : sum + input[i];
    output[i] = sum;
  }
}
