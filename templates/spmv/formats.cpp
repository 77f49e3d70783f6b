// The other formats of a matrix in CSR, each in one walk over it.
#include <algorithm>
#include <vector>

static void coo_format(const int* starts, int* coo_rows, int* coo_count, int rows) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) std::fill(coo_rows + starts[row], coo_rows + starts[row + 1], row);
  coo_count[0] = starts[rows];
}

// Both layouts of ELL, rows padded to `stored` nonzeros or cut there. A padded one is zero times an element of x that
// the row reads anyway.
static void ell_format(const int* starts, const int* columns, const float* values, int* ell_columns, float* ell_values,
                       int* ell_by_row_columns, float* ell_by_row_values, int rows, int stored) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const int length = starts[row + 1] - starts[row];
    for (int k = 0; k < stored; ++k) {
      const int i = starts[row] + std::min(k, length - 1);
      const int column = length > 0 ? columns[i] : 0;
      const float value = k < length ? values[i] : 0.0f;
      const long long by_row = static_cast<long long>(row) * stored + k;
      const long long by_column = static_cast<long long>(k) * rows + row;
      ell_by_row_columns[by_row] = ell_columns[by_column] = column;
      ell_by_row_values[by_row] = ell_values[by_column] = value;
    }
  }
}

// What a hybrid's ELL part of `width` leaves, in COO.
static void rest_format(const int* starts, const int* columns, const float* values, int* rest_rows, int* rest_columns,
                        float* rest_values, int* rest_count, int rows, int width) {
  std::vector<int> first(rows + 1, 0);
  for (int row = 0; row < rows; ++row) first[row + 1] = first[row] + std::max(starts[row + 1] - starts[row] - width, 0);
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    int next = first[row];
    for (int i = starts[row] + width; i < starts[row + 1]; ++i, ++next) {
      rest_rows[next] = row;
      rest_columns[next] = columns[i];
      rest_values[next] = values[i];
    }
  }
  rest_count[0] = first[rows];
}

// Rows from the longest to the shortest, those of a length in their order: a counting sort. `diagonals` gets one more
// than the longest row has nonzeros, at most.
static void sort_rows(const int* starts, int* sorted_rows, int* sorted_starts, int* diagonals, int rows, int longest) {
  std::vector<int> longer(longest + 2, 0);  // rows with more nonzeros than the index
  for (int row = 0; row < rows; ++row) ++longer[starts[row + 1] - starts[row]];
  int above = 0;
  for (int length = longest + 1; length >= 0; --length) {
    const int here = longer[length];
    longer[length] = above;
    above += here;
  }
  diagonals[0] = 0;
  for (int k = 0; k < longest; ++k) diagonals[k + 1] = diagonals[k] + longer[k];
  for (int row = 0; row < rows; ++row) sorted_rows[longer[starts[row + 1] - starts[row]]++] = row;
  sorted_starts[0] = 0;
  for (int place = 0; place < rows; ++place) {
    const int row = sorted_rows[place];
    sorted_starts[place + 1] = sorted_starts[place] + starts[row + 1] - starts[row];
  }
}

static void jds_format(const int* starts, const int* columns, const float* values, int* sorted_rows, int* sorted_starts,
                       int* diagonals, int* jds_columns, float* jds_values, int* jds_by_row_columns,
                       float* jds_by_row_values, int rows, int longest) {
  sort_rows(starts, sorted_rows, sorted_starts, diagonals, rows, longest);
#pragma omp parallel for schedule(dynamic, 1024)
  for (int place = 0; place < rows; ++place) {
    const int first = starts[sorted_rows[place]];
    const int length = sorted_starts[place + 1] - sorted_starts[place];
    for (int k = 0; k < length; ++k) {
      jds_columns[diagonals[k] + place] = columns[first + k];
      jds_values[diagonals[k] + place] = values[first + k];
      jds_by_row_columns[sorted_starts[place] + k] = columns[first + k];
      jds_by_row_values[sorted_starts[place] + k] = values[first + k];
    }
  }
}

// One function for all of them, so that it is compiled once and the matrix is fetched once.
extern "C" void sparse_formats(const int* starts, const int* columns, const float* values, int* coo_rows,
                               int* coo_count, int* ell_columns, float* ell_values, int* ell_by_row_columns,
                               float* ell_by_row_values, int* rest_rows, int* rest_columns, float* rest_values,
                               int* rest_count, int* sorted_rows, int* sorted_starts, int* diagonals, int* jds_columns,
                               float* jds_values, int* jds_by_row_columns, float* jds_by_row_values, int rows,
                               int stored, int hybrid_width, int longest) {
  coo_format(starts, coo_rows, coo_count, rows);
  ell_format(starts, columns, values, ell_columns, ell_values, ell_by_row_columns, ell_by_row_values, rows, stored);
  rest_format(starts, columns, values, rest_rows, rest_columns, rest_values, rest_count, rows, hybrid_width);
  jds_format(starts, columns, values, sorted_rows, sorted_starts, diagonals, jds_columns, jds_values,
             jds_by_row_columns, jds_by_row_values, rows, longest);
}
