// Segments of random lengths, `length` elements on average: each element is a head with the probability 1 / length.
// Given by flags (any value but zero) or by identifiers, which need not follow each other.

// splitmix64's output function (Steele et al. 2014): a hash of a counter.
static unsigned hashed(unsigned long long i) {
  unsigned long long x = i * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<unsigned>((x ^ (x >> 31)) >> 32);
}

extern "C" void segments(unsigned char* flags, int* ids, long long size, int by_flags, long long length) {
  const unsigned limit = static_cast<unsigned>(4294967295.0 / static_cast<double>(length));
  int id = 0;
  for (long long i = 0; i < size; ++i) {
    const unsigned bits = hashed(static_cast<unsigned long long>(i) + 1);
    const bool head = bits <= limit;
    if (head)
      id = static_cast<int>(bits % 2 == 0 ? static_cast<unsigned>(id) + 1 : static_cast<unsigned>(id) ^ 0x40000000u);
    if (by_flags)
      flags[i] = static_cast<unsigned char>(head ? 1 + bits % 255 : 0);
    else
      ids[i] = id;
  }
}

// The same segments by the positions of their heads; what lies behind the last is `size`.
extern "C" void segment_starts(unsigned* starts, long long* start_count, long long size, long long length) {
  const unsigned limit = static_cast<unsigned>(4294967295.0 / static_cast<double>(length));
  long long count = 0;
  for (long long i = 0; i < size; ++i) {
    if (hashed(static_cast<unsigned long long>(i) + 1) <= limit) starts[count++] = static_cast<unsigned>(i);
  }
  *start_count = count;
  for (long long i = count; i < size; ++i) starts[i] = static_cast<unsigned>(size);
}
