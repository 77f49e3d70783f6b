// The matrix in panels of rows, each sorted by columns. A block has a panel and its part of y in shared memory, and
// walks through x once: neighbouring lanes read neighbours of x, and a line of it that many rows of the panel need
// comes from L2 once instead of a sector per nonzero. Im, Yelick & Vuduc, "Sparsity" (IJHPCA 2004), and Nishtala et
// al., "When Cache Blocking of Sparse Matrix Vector Multiply Works and Why" (2007), block for caches so; sums are
// scattered instead of x gathered, since a multiprocessor keeps a part of y but not all of x.
#pragma once

#include "nonzeros.cuh"

// COARSENING nonzeros of a thread. Instead of those beyond the panel's last it loads the last, which takes no branch.
struct PanelBatch {
  int columns[COARSENING];
  float values[COARSENING];
  int places[COARSENING];

  __device__ void load(const Nonzeros& a, const unsigned short* row_in_panel, int first, int last) {
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
      const int i = min(first + item * BLOCK_SIZE, last - 1);
      columns[item] = read_once(a.columns + i);
      values[item] = read_once(a.values + i);
      places[item] = read_once(row_in_panel + i);
    }
  }

  __device__ void add_products(const Nonzeros& a, float* sums, int first, int last) const {
    float products[COARSENING];
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) products[item] = values[item] * a.x_at(columns[item]);
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
      if (first + item * BLOCK_SIZE < last) atomicAdd(sums + places[item], products[item]);
    }
  }
};

// A panel's nonzeros are those of its rows in CSR, in another order, so that `starts` says where they are. The next
// ones are on their way while the present ones' elements of x are.
__device__ inline void multiply_panel(const Nonzeros& a, const int* starts, const unsigned short* row_in_panel,
                                      float* y, int rows, int panel_rows) {
  extern __shared__ float panel_sums[];
  const int thread = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(blockIdx.x) * panel_rows;
  const int count = min(panel_rows, rows - first_row);
  const int last = starts[first_row + count];
  int first = starts[first_row] + thread;
  PanelBatch batch;
  if (first - thread < last) batch.load(a, row_in_panel, first, last);
  for (int i = thread; i < count; i += BLOCK_SIZE) panel_sums[i] = 0.0f;
  __syncthreads();
  for (; first < last; first += tile) {
    const PanelBatch present = batch;
    batch.load(a, row_in_panel, first + tile, last);
    present.add_products(a, panel_sums, first, last);
  }
  __syncthreads();
  for (int i = thread; i < count; i += BLOCK_SIZE) y[first_row + i] = panel_sums[i];
}
