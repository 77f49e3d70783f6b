// A square sparse matrix in CSR with exactly `rows * average` nonzeros. pattern 1: a band, rows of average / 2 to
// average * 3 / 2 neighbouring columns around the diagonal; pattern 2: row lengths that follow a power law (the r-th
// longest row has about average / 2 * sqrt(rows / r) nonzeros), in no order, with columns anywhere; pattern 3: a band's
// rows, whose columns lie scattered among the 4,001 around the diagonal, as those of a mesh do.
// The random numbers are splitmix64's (Steele et al. 2014), a hash of a counter.
#include <cmath>

static unsigned hashed(long long i) {
  unsigned long long x = static_cast<unsigned long long>(i) + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<unsigned>((x ^ (x >> 31)) >> 32);
}

// Two rows together have twice the average; a last one without a partner has the average itself.
static int band_length(int row, int rows, int average) {
  if (row % 2 == 0 && row == rows - 1) return average;
  const int more = static_cast<int>(hashed(row / 2) % static_cast<unsigned>(average / 2 + 1));
  return row % 2 == 0 ? average + more : average - more;
}

// Nonzeros of the `rank` longest rows together: total * sqrt(rank / rows). Division and root are
// rounded as IEEE 754 says, the same everywhere.
static long long nonzeros_of_longest(long long rank, long long rows, long long total) {
  const double part = static_cast<double>(rank) / static_cast<double>(rows);
  return static_cast<long long>(static_cast<double>(total) * std::sqrt(part));
}

static int common_divisor(int a, int b) {
  return b == 0 ? a : common_divisor(b, a % b);
}

// The i-th of `length` columns: somewhere in its own part of the 4,001.
static long long scattered_column(int row, long long i, long long length, unsigned bits) {
  constexpr int width = 4001;
  return row - width / 2 + (i * width + bits % width) / length;
}

// starts: rows + 1; columns, values: rows * average.
extern "C" void sparse_matrix(int* starts, int* columns, float* values, int rows, int average, int pattern) {
  const long long total = static_cast<long long>(rows) * average;
  int stride = static_cast<int>(rows * 0.618) + 1;  // visits all ranks in no visible order
  while (common_divisor(stride, rows) != 1) ++stride;
  const auto rank_of = [&](int row) { return static_cast<long long>(row) * stride % rows; };
  const auto length_of = [&](int row) -> long long {
    if (pattern != 2) return band_length(row, rows, average);
    return nonzeros_of_longest(rank_of(row) + 1, rows, total) - nonzeros_of_longest(rank_of(row), rows, total);
  };
  starts[0] = 0;
  for (int row = 0; row < rows; ++row) starts[row + 1] = static_cast<int>(starts[row] + length_of(row));
#pragma omp parallel for schedule(dynamic, 1024)
  for (int row = 0; row < rows; ++row) {
    const long long length = starts[row + 1] - starts[row];
    const long long first = row > length / 2 ? row - length / 2 : 0;
    for (long long i = 0; i < length; ++i) {
      const long long at = starts[row] + i;
      const unsigned bits = hashed(at);
      const long long column = pattern == 2 ? bits : pattern == 3 ? scattered_column(row, i, length, bits) : first + i;
      columns[at] = static_cast<int>((column % rows + rows) % rows);
      values[at] = static_cast<float>(hashed(~at)) / 2147483648.0f - 1.0f;
    }
  }
}
