// Two launches instead of a gather from L2, for columns that lie anywhere. The first has a block for each tile of
// columns, with its part of x in shared memory: it reads the tile's nonzeros from end to end and writes a product for
// each. The second has a block for each panel of rows: it brings the panel's products, a bin from each tile, to shared
// memory in the order of CSR, and adds up the rows. So all of global memory is read and written in long pieces: 16
// bytes a nonzero, with columns and places of 16 bits, instead of 8 and a sector of x of 32. Beamer, Asanović &
// Patterson, "Reducing Pagerank Communication via Propagation Blocking" (IPDPS 2017), bin so; here the bins are known
// before, and products need no counters. Within a panel places are distinct, which needs no atomic additions either.
#pragma once

#include <warptune/device/vectors.cuh>

#include "nonzeros.cuh"

constexpr int panel_nonzeros = 12032;  // 47 KiB of products: four blocks of 512 threads a multiprocessor
constexpr int tile_threads = 1024;     // a tile of x leaves room for one block on a multiprocessor
constexpr int bin_warps = BLOCK_SIZE / 32;
constexpr int bin_rounds = 4;  // of a warp for a bin; a bin has 91 nonzeros on average where a device has 132 tiles
constexpr int long_row = 256;  // nonzeros within a panel from which on a warp adds up a row
constexpr int most_long_rows = panel_nonzeros / long_row;

using warptune::device::Pack;

// Four at once: a tile begins at a multiple of four.
template <class Element>
__device__ inline Pack<Element, 4> read_four_once(const Element* from) {
  using Word = typename warptune::device::WordOf<4 * sizeof(Element)>::type;
  const Word word = read_once(reinterpret_cast<const Word*>(from));
  return reinterpret_cast<const Pack<Element, 4>&>(word);
}

// starts: where the bins of each panel begin, tile by tile, and where the tiles end. columns: within the tile. Rows
// that lie in several panels are zero in y then; they are among panel_rows.
__device__ inline void multiply_tile(const int* starts, const unsigned short* columns, const float* values,
                                     const float* x, float* products, const int* panel_rows, float* y, int rows,
                                     int tile_columns, int panels) {
  extern __shared__ float x_tile[];
  const int thread = static_cast<int>(threadIdx.x);
  const int tiles = static_cast<int>(gridDim.x);
  const int first_column = static_cast<int>(blockIdx.x) * tile_columns;
  const int own_columns = min(tile_columns, rows - first_column);
  for (int i = static_cast<int>(blockIdx.x) * tile_threads + thread; i < panels; i += tiles * tile_threads)
    y[panel_rows[i]] = 0.0f;
#pragma unroll 8
  for (int i = thread; i < own_columns; i += tile_threads) x_tile[i] = x[first_column + i];
  const int first = starts[blockIdx.x];
  const int end = starts[panels * tiles + static_cast<int>(blockIdx.x)];
  __syncthreads();
  for (int from = first + 4 * thread; from < end; from += 4 * tile_threads * COARSENING) {
    Pack<unsigned short, 4> own[COARSENING];
    Pack<float, 4> factors[COARSENING];
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
      const int i = from + 4 * item * tile_threads;
      if (i >= end) continue;
      own[item] = read_four_once(columns + i);
      factors[item] = read_four_once(values + i);
    }
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
      const int i = from + 4 * item * tile_threads;
      if (i >= end) continue;
#pragma unroll
      for (int k = 0; k < 4; ++k) factors[item].at[k] *= x_tile[own[item].at[k]];
      *reinterpret_cast<Pack<float, 4>*>(products + i) = factors[item];
    }
  }
}

// A warp's part of a bin, as it lies in registers on its way: at most 32 * bin_rounds products.
struct Bin {
  float products[bin_rounds];
  int places[bin_rounds];
  int first, end;

  __device__ void load(const unsigned short* from_places, const float* from_products) {
#pragma unroll
    for (int round = 0; round < bin_rounds; ++round) {
      const int i = first + 32 * round;
      if (i >= end) continue;
      products[round] = read_once(from_products + i);
      places[round] = read_once(from_places + i);
    }
  }
  __device__ void store(float* panel) const {
#pragma unroll
    for (int round = 0; round < bin_rounds; ++round)
      if (first + 32 * round < end) panel[places[round]] = products[round];
  }
};

// A warp brings every bin_warps-th bin of the panel to its places in shared memory, COARSENING of them at once.
__device__ inline void place_products(const int* starts, const unsigned short* places, const float* products, int tiles,
                                      float* panel) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int base = static_cast<int>(threadIdx.x) / 32; base < tiles; base += 32 * bin_warps) {
    const int own_tile = base + lane * bin_warps;
    const int own_first = own_tile < tiles ? starts[own_tile] : 0;
    const int own_end = own_tile < tiles ? starts[tiles + own_tile] : 0;
    for (int turn = 0; turn < 32 && base + turn * bin_warps < tiles; turn += COARSENING) {
      Bin bins[COARSENING];
#pragma unroll
      for (int item = 0; item < COARSENING; ++item) {  // lane 0 again behind lane 31: those bins are empty
        const int end = __shfl_sync(0xffffffffu, own_end, (turn + item) % 32);
        bins[item].first = __shfl_sync(0xffffffffu, own_first, (turn + item) % 32) + lane;
        bins[item].end = turn + item < 32 ? end : 0;
        bins[item].load(places, products);
      }
#pragma unroll
      for (int item = 0; item < COARSENING; ++item) {
        bins[item].store(panel);
        for (int i = bins[item].first + 32 * bin_rounds; i < bins[item].end; i += 32) panel[places[i]] = products[i];
      }
      __syncwarp();
    }
  }
}

// A row's part of a panel: nonzeros begin … end - 1 of the panel, and whether these are all, as of a row without any.
struct RowInPanel {
  int begin, end;
  bool whole;

  __device__ RowInPanel(const int* row_starts, int row, int first, int last) {
    const int row_begin = row_starts[row], row_end = row_starts[row + 1];
    begin = max(row_begin, first) - first;
    end = max(min(row_end, last) - first, begin);
    whole = row_end - row_begin == end - begin;
  }
};

// Rows that lie in several panels, and are zero before, are added up in y.
__device__ inline void finish_row(float* y, int row, bool whole, float sum) {
  if (whole) {
    y[row] = sum;
  } else {
    atomicAdd(y + row, sum);
  }
}

// Lanes of a warp, or THREADS_PER_ROW neighbours of them, add up a row.
template <int Lanes>
__device__ inline float sum_in_panel(const float* panel, const RowInPanel& part) {
  float sum = 0.0f;
  for (int i = part.begin + static_cast<int>(threadIdx.x) % Lanes; i < part.end; i += Lanes) sum += panel[i];
  return warptune::device::sum_in_first_lane<Lanes>(sum);
}

// panel_rows: the row of each panel's first nonzero (of the first panel: row 0), and the last row. The panels' order is
// that of the products' writing turned around: what was written last is in L2.
__device__ inline void sum_panel(const int* starts, const unsigned short* places, const float* products,
                                 const int* row_starts, const int* panel_rows, float* y, int tiles, int count) {
  extern __shared__ float panel_products[];
  __shared__ int long_rows[most_long_rows];
  __shared__ int long_count;
  const int thread = static_cast<int>(threadIdx.x);
  const int number = static_cast<int>(gridDim.x - 1 - blockIdx.x);
  const int first = number * panel_nonzeros;
  const int last = min(first + panel_nonzeros, count);
  if (thread == 0) long_count = 0;
  place_products(starts + number * tiles, places, products, tiles, panel_products);
  __syncthreads();
  const int first_row = panel_rows[number];
  const int row_count = panel_rows[number + 1] - first_row + 1;
  constexpr int at_once = BLOCK_SIZE / THREADS_PER_ROW;
  for (int turn = 0; turn < row_count; turn += at_once) {  // all of a warp's lanes stay together
    const int row = first_row + min(turn + thread / THREADS_PER_ROW, row_count - 1);
    RowInPanel part(row_starts, row, first, last);
    const bool own = turn + thread / THREADS_PER_ROW < row_count && (part.begin < part.end || part.whole);
    const bool is_long = part.end - part.begin >= long_row;
    if (!own || is_long) part.end = part.begin;
    const float sum = sum_in_panel<THREADS_PER_ROW>(panel_products, part);
    if (!own || !leads_row()) continue;
    if (is_long) {
      long_rows[atomicAdd(&long_count, 1)] = row;
    } else {
      finish_row(y, row, part.whole, sum);
    }
  }
  __syncthreads();
  for (int i = thread / 32; i < long_count; i += bin_warps) {
    const RowInPanel part(row_starts, long_rows[i], first, last);
    const float sum = sum_in_panel<32>(panel_products, part);
    if (thread % 32 == 0) finish_row(y, long_rows[i], part.whole, sum);
  }
}
