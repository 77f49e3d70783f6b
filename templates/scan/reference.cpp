// Prefix sums one after another. kind: 1 inclusive, 2 exclusive.
extern "C" void scan_reference(const int* input, int* output, long long size, int kind) {
  int sum = 0;
  for (long long i = 0; i < size; ++i) {
    const int before = sum;
    sum += input[i];
    output[i] = kind == 2 ? before : sum;
  }
}
