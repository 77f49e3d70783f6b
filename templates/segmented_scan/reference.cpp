// One element after another. Segments are given by flags (0), by identifiers (1) or by the positions of heads (2).
extern "C" void segmented_scan_reference(const int* input, const unsigned char* flags, const int* ids,
                                         const unsigned* starts, const long long* start_count, int* output,
                                         long long size, int segments_by, int exclusive) {
  int sum = 0;
  long long next = 0;
  for (long long i = 0; i < size; ++i) {
    bool head = segments_by == 0 ? flags[i] != 0 : segments_by == 1 && i > 0 && ids[i] != ids[i - 1];
    if (segments_by == 2 && next < *start_count && starts[next] == i) {
      head = true;
      ++next;
    }
    const int before = head ? 0 : sum;
    sum = before + input[i];
    output[i] = exclusive ? before : sum;
  }
}
