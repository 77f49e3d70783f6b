// CSC: the nonzeros ordered by columns instead of rows. A counting sort by groups of columns: each looks at all
// nonzeros and takes its own, so that groups can be sorted at the same time, and a group's places stay in a host's
// cache.
#include <algorithm>
#include <vector>

extern "C" void sparse_csc(const int* starts, const int* columns, const float* values, int* csc_starts, int* csc_rows,
                           float* csc_values, int rows) {
  constexpr int groups = 64;
  const int group_columns = (rows + groups - 1) / groups;
  std::fill_n(csc_starts, rows + 1, 0);
#pragma omp parallel for schedule(dynamic, 1)
  for (int group = 0; group < groups; ++group) {
    const long long first = static_cast<long long>(group) * group_columns;
    const long long end = std::min<long long>(first + group_columns, rows);
    for (int i = 0; i < starts[rows]; ++i)
      if (columns[i] >= first && columns[i] < end) ++csc_starts[columns[i] + 1];
  }
  for (int column = 0; column < rows; ++column) csc_starts[column + 1] += csc_starts[column];
#pragma omp parallel for schedule(dynamic, 1)
  for (int group = 0; group < groups; ++group) {
    const long long first = static_cast<long long>(group) * group_columns;
    const long long end = std::min<long long>(first + group_columns, rows);
    if (first >= end) continue;
    std::vector<int> next(csc_starts + first, csc_starts + end);
    for (int row = 0; row < rows; ++row)
      for (int i = starts[row]; i < starts[row + 1]; ++i) {
        if (columns[i] < first || columns[i] >= end) continue;
        const int to = next[columns[i] - first]++;
        csc_rows[to] = row;
        csc_values[to] = values[i];
      }
  }
}
