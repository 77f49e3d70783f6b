// Indices of any row of the table. Two in a thousand are none: -1, and one behind the table's end. They are few, since
// nothing is read for them and GB/s count all.

// splitmix64's output function (Steele et al. 2014): a hash of a counter.
static unsigned long long hashed(unsigned long long i) {
  unsigned long long x = i * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

extern "C" void make_indices(int* indices, int rows, int length, int table_rows) {
  for (long long i = 0; i < static_cast<long long>(rows) * length; ++i) {
    const unsigned long long number = hashed(static_cast<unsigned long long>(i)) & 0xffffffffull;
    const int row = static_cast<int>(number * static_cast<unsigned long long>(table_rows) >> 32);
    indices[i] = i % 1000 == 3 ? -1 : i % 1000 == 7 ? table_rows : row;
  }
}
