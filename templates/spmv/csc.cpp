// CSC: the nonzeros ordered by columns instead of rows, by a counting sort.
#include <vector>

extern "C" void sparse_csc(const int* starts, const int* columns, const float* values, int* csc_starts, int* csc_rows,
                           float* csc_values, int rows) {
  std::vector<int> next(rows + 1, 0);
  for (int i = 0; i < starts[rows]; ++i) ++next[columns[i] + 1];
  for (int column = 0; column < rows; ++column) next[column + 1] += next[column];
  for (int column = 0; column <= rows; ++column) csc_starts[column] = next[column];
  for (int row = 0; row < rows; ++row)
    for (int i = starts[row]; i < starts[row + 1]; ++i) {
      const int to = next[columns[i]]++;
      csc_rows[to] = row;
      csc_values[to] = values[i];
    }
}
