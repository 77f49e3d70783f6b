// Two launches instead of a gather from L2, for columns that lie anywhere. The first has a block for each tile of
// columns, with its part of x in shared memory: it reads the tile's nonzeros, bin by bin, and writes a product for
// each. A bin is what a tile and a panel of rows have in common. The second launch has a block for each panel: it
// brings the panel's products, which lie from end to end, to shared memory in the order of CSR, and adds up the rows.
// So all of global memory is read and written in long pieces: 16 bytes a nonzero, with columns and places of 16 bits,
// instead of 8 and a sector of x of 32. Beamer, Asanović & Patterson, "Reducing Pagerank Communication via Propagation
// Blocking" (IPDPS 2017), bin so; here the bins are known before, and products need no counters. Within a panel places
// are distinct, which needs no atomic additions either.
#pragma once

#include <warptune/device/vectors.cuh>

#include "nonzeros.cuh"

constexpr int panel_nonzeros = 12032;  // 47 KiB of products: four blocks of 512 threads a multiprocessor
constexpr int tile_threads = 1024;     // a tile of x leaves room for one block on a multiprocessor
constexpr int bin_rounds = 4;  // of a warp for a bin; a bin has 91 nonzeros on average where a device has 132 tiles
constexpr int bins_at_once =
    COARSENING < 3 ? COARSENING : 3;  // of a warp; more leave too few registers to 1,024 threads
constexpr int long_row = 256;         // nonzeros within a panel from which on a warp adds up a row
constexpr int most_long_rows = panel_nonzeros / long_row;

using warptune::device::Pack;

// A tile's nonzeros, and where their products go.
struct Tile {
  const unsigned short* columns;  // within the tile
  const float* values;
  const float* x;  // of the tile, in shared memory
  float* products;

  __device__ void multiply(int from, int to) const { products[to] = values[from] * x[columns[from]]; }
};

// A lane's part of a bin, as it lies in registers on its way: up to bin_rounds nonzeros.
struct Bin {
  int columns[bin_rounds];
  float values[bin_rounds];
  int first, end, target;

  __device__ void load(const Tile& tile) {
#pragma unroll
    for (int round = 0; round < bin_rounds; ++round) {
      const int i = first + 32 * round;
      if (i >= end) continue;
      columns[round] = read_once(tile.columns + i);
      values[round] = read_once(tile.values + i);
    }
  }
  __device__ void store(const Tile& tile) const {
#pragma unroll
    for (int round = 0; round < bin_rounds; ++round)
      if (first + 32 * round < end) tile.products[target + 32 * round] = values[round] * tile.x[columns[round]];
    for (int i = 32 * bin_rounds; first + i < end; i += 32) tile.multiply(first + i, target + i);
  }
};

// A warp takes 32 bins of the tile at a time, bins_at_once of them at once. starts, targets: of this tile's bins.
__device__ inline void multiply_bins(const Tile& tile, const int* starts, const int* targets, int panels) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int base = static_cast<int>(threadIdx.x) / 32 * 32; base < panels; base += tile_threads) {
    const int own = base + lane;
    const int own_first = own < panels ? starts[own] : 0;
    const int own_end = own < panels ? starts[own + 1] : 0;
    const int own_target = own < panels ? targets[own] : 0;
#pragma unroll 1
    for (int turn = 0; turn < 32; turn += bins_at_once) {
      Bin bins[bins_at_once];
#pragma unroll
      for (int item = 0; item < bins_at_once; ++item) {  // lane 0 again behind lane 31: those bins are empty
        const int end = __shfl_sync(0xffffffffu, own_end, (turn + item) % 32);
        bins[item].first = __shfl_sync(0xffffffffu, own_first, (turn + item) % 32) + lane;
        bins[item].target = __shfl_sync(0xffffffffu, own_target, (turn + item) % 32) + lane;
        bins[item].end = turn + item < 32 ? end : 0;
        bins[item].load(tile);
      }
#pragma unroll
      for (int item = 0; item < bins_at_once; ++item) bins[item].store(tile);
      __syncwarp();
    }
  }
}

// starts: of the bins, tile by tile and within a tile panel by panel, and the end. targets: of their products. Rows
// that lie in several panels are zero in y then; they are among panel_rows.
__device__ inline void multiply_tile(Tile tile, const int* starts, const int* targets, const float* x,
                                     const int* panel_rows, float* y, int rows, int tile_columns, int panels) {
  extern __shared__ float x_tile[];
  const int thread = static_cast<int>(threadIdx.x);
  const int number = static_cast<int>(blockIdx.x);
  const int first_column = number * tile_columns;
  const int own_columns = min(tile_columns, rows - first_column);
  for (int i = number * tile_threads + thread; i < panels; i += static_cast<int>(gridDim.x) * tile_threads)
    y[panel_rows[i]] = 0.0f;
#pragma unroll 8
  for (int i = thread; i < own_columns; i += tile_threads) x_tile[i] = x[first_column + i];
  __syncthreads();
  tile.x = x_tile;
  const long long first_bin = static_cast<long long>(number) * panels;
  multiply_bins(tile, starts + first_bin, targets + first_bin, panels);
}

// Four at once: a panel begins at a multiple of four, and there is room for three behind the last.
template <class Element>
__device__ inline Pack<Element, 4> read_four_once(const Element* from) {
  using Word = typename warptune::device::WordOf<4 * sizeof(Element)>::type;
  const Word word = read_once(reinterpret_cast<const Word*>(from));
  return reinterpret_cast<const Pack<Element, 4>&>(word);
}

// Nonzeros first … last - 1, which are a panel's, to their places in shared memory.
__device__ inline void place_products(const unsigned short* places, const float* products, int first, int last,
                                      float* panel) {
  for (int from = first + 4 * static_cast<int>(threadIdx.x); from < last; from += 4 * BLOCK_SIZE * COARSENING) {
    Pack<float, 4> own[COARSENING];
    Pack<unsigned short, 4> to[COARSENING];
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
      const int i = from + 4 * BLOCK_SIZE * item;
      if (i >= last) continue;
      own[item] = read_four_once(products + i);
      to[item] = read_four_once(places + i);
    }
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (from + 4 * BLOCK_SIZE * item + k < last) panel[to[item].at[k]] = own[item].at[k];
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
__device__ inline void sum_panel(const unsigned short* places, const float* products, const int* row_starts,
                                 const int* panel_rows, float* y, int count) {
  extern __shared__ float panel_products[];
  __shared__ int long_rows[most_long_rows];
  __shared__ int long_count;
  const int thread = static_cast<int>(threadIdx.x);
  const int number = static_cast<int>(gridDim.x - 1 - blockIdx.x);
  const int first = number * panel_nonzeros;
  const int last = min(first + panel_nonzeros, count);
  if (thread == 0) long_count = 0;
  place_products(places, products, first, last, panel_products);
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
  for (int i = thread / 32; i < long_count; i += BLOCK_SIZE / 32) {
    const RowInPanel part(row_starts, long_rows[i], first, last);
    const float sum = sum_in_panel<32>(panel_products, part);
    if (thread % 32 == 0) finish_row(y, long_rows[i], part.whole, sum);
  }
}
