// A band in DIA: one array for each diagonal that holds a nonzero, with a place for every row. Diagonals run on at the
// other end of a row (column (row + offset) % rows), so that the band's corners need no diagonals of their own.
#include <algorithm>
#include <vector>

// dia_offsets, dia_values: room for all diagonals of pattern 1, a band; dia_count: how many there are.
extern "C" void sparse_dia(const int* starts, const int* columns, const float* values, int* dia_offsets,
                           float* dia_values, int* dia_count, int rows, int pattern) {
  dia_count[0] = 0;
  if (pattern != 1) return;
  std::vector<int> diagonal_of(rows, -1);  // for each offset
  for (int row = 0; row < rows; ++row)
    for (int i = starts[row]; i < starts[row + 1]; ++i) {
      const int offset = columns[i] >= row ? columns[i] - row : columns[i] - row + rows;
      if (diagonal_of[offset] >= 0) continue;
      diagonal_of[offset] = dia_count[0]++;
      dia_offsets[diagonal_of[offset]] = offset;
    }
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    for (int diagonal = 0; diagonal < dia_count[0]; ++diagonal)
      dia_values[static_cast<long long>(diagonal) * rows + row] = 0.0f;
    for (int i = starts[row]; i < starts[row + 1]; ++i) {
      const int offset = columns[i] >= row ? columns[i] - row : columns[i] - row + rows;
      dia_values[static_cast<long long>(diagonal_of[offset]) * rows + row] += values[i];
    }
  }
}
