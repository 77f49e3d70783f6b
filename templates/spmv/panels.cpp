// What is known of rows together: the range of columns of 32 rows each (window.cuh), and panels of rows whose nonzeros
// are sorted by columns (panels.cuh).
#include <algorithm>
#include <vector>

// Of rows without nonzeros the first column is behind the last.
static void column_ranges(const int* starts, const int* columns, int* first_columns, int* last_columns, int rows) {
#pragma omp parallel for
  for (int row = 0; row < rows; row += 32) {
    const int end = starts[std::min(row + 32, rows)];
    int first = 0x7fffffff, last = -1;
    for (int i = starts[row]; i < end; ++i) {
      first = std::min(first, columns[i]);
      last = std::max(last, columns[i]);
    }
    first_columns[row / 32] = first;
    last_columns[row / 32] = last;
  }
}

// A counting sort by groups of 8 columns, a sector of x: exact enough for reads of neighbours, and its counts stay in
// a host's cache, as a panel does. `next` has one more than groups.
static void sort_panel(const int* starts, const int* columns, const float* values, int* panel_columns,
                       float* panel_values, unsigned short* row_in_panel, int first, int end, std::vector<int>& next) {
  std::fill(next.begin(), next.end(), 0);
  for (int i = starts[first]; i < starts[end]; ++i) ++next[columns[i] / 8 + 1];
  next[0] = starts[first];
  for (std::size_t group = 1; group < next.size(); ++group) next[group] += next[group - 1];
  for (int row = first; row < end; ++row)
    for (int i = starts[row]; i < starts[row + 1]; ++i) {
      const int to = next[columns[i] / 8]++;
      panel_columns[to] = columns[i];
      panel_values[to] = values[i];
      row_in_panel[to] = static_cast<unsigned short>(row - first);
    }
}

extern "C" void sparse_panels(const int* starts, const int* columns, const float* values, int* first_columns,
                              int* last_columns, int* panel_columns, float* panel_values, unsigned short* row_in_panel,
                              int rows, int panel_rows) {
  column_ranges(starts, columns, first_columns, last_columns, rows);
#pragma omp parallel
  {
    std::vector<int> next(rows / 8 + 2);
#pragma omp for schedule(dynamic, 1)
    for (long long first = 0; first < rows; first += panel_rows)
      sort_panel(starts, columns, values, panel_columns, panel_values, row_in_panel, static_cast<int>(first),
                 static_cast<int>(std::min<long long>(first + panel_rows, rows)), next);
  }
}
