// CSC: the nonzeros ordered by columns instead of rows. A counting sort in two steps: first into at most 1,024 groups
// of neighbouring columns, then within each group, whose part of the matrix stays in a host's cache.
#include <vector>

struct Element {
  int row;
  int column;
  float value;
};

extern "C" void sparse_csc(const int* starts, const int* columns, const float* values, int* csc_starts, int* csc_rows,
                           float* csc_values, int rows) {
  std::vector<int> next(rows + 1, 0);
  for (int i = 0; i < starts[rows]; ++i) ++next[columns[i] + 1];
  for (int column = 0; column < rows; ++column) next[column + 1] += next[column];
  for (int column = 0; column <= rows; ++column) csc_starts[column] = next[column];

  int shift = 0;
  while ((rows - 1) >> shift >= 1024) ++shift;
  std::vector<int> next_of_group;
  for (long long column = 0; column < rows; column += 1 << shift) next_of_group.push_back(next[column]);
  std::vector<Element> grouped(starts[rows]);
  for (int row = 0; row < rows; ++row)
    for (int i = starts[row]; i < starts[row + 1]; ++i)
      grouped[next_of_group[columns[i] >> shift]++] = {row, columns[i], values[i]};
  for (const Element& element : grouped) {
    const int to = next[element.column]++;
    csc_rows[to] = element.row;
    csc_values[to] = element.value;
  }
}
