// y = A * x for a sparse matrix of floats. Rows differ in length; the question is who gets how much of them, and how
// the matrix lies in memory for that.
//
//   ALGORITHM  in CSR: rows: THREADS_PER_ROW threads per row, all rows alike; stream: a block reads the nonzeros of its
//              rows as neighbours, whoever they belong to, and adds up the products from shared memory; merge: each
//              thread gets the same number of row ends and nonzeros together, whatever the rows' lengths
//              coo: a thread per nonzero, with the row's number beside it
//              ell: all rows padded to one length; hybrid: that length is the average, and the rest is in COO
//              jds: rows sorted by length, so that neighbouring threads end together; jds_ell: these in sections, each
//              padded to its longest row, a launch each
//              dia: by diagonals, for bands; csc: by columns, with atomic additions to y; bcsr: dense blocks of
//              BCSR_BLOCK x BCSR_BLOCK in CSR, for bands
//              segmented_scan: gather, map and segmented scan as launches of their own
//              panels: a block's rows sorted by columns, with their sums in shared memory
//              sell: for bands: rows sorted by length within groups of 1,024, with columns of 16 bits from the group's
//              first one on
//              binning: for columns anywhere: a launch that multiplies, tile of columns by tile, with x in shared
//              memory, and one that brings the products to their rows
//   LAYOUT     ell, hybrid, jds: row by row (THREADS_PER_ROW threads read neighbours), or column by column (so do
//              threads with a row each; of jds this is the transposed form, the jagged diagonals)
//   COO_SUM    coo, hybrid: atomic: each product is added to y; segmented: a warp adds up its rows first
//   BCSR_BLOCK bcsr: rows and columns of a dense block
//   BLOCK_SIZE threads per block
//   THREADS_PER_ROW   threads that share a row (1: CSR scalar, 32: CSR vector), or a column of csc
//   COARSENING nonzeros per thread: its loads in flight (binning: up to 3 bins of a warp in the first launch, four by each in the second); stream: products that it adds to shared memory at once; merge:
//              row ends and nonzeros that it takes; coo: nonzeros that it takes
//   CACHE_HINT plain, or streaming: the matrix leaves the caches first; policy: it passes L1 by, leaves L2 first, and x
//              leaves both last
//   X_MEMORY   stream, sell: x from global memory through the caches, or a window of it from shared memory (stream:
//              where a block's columns fit into that)
//   PREFETCH_TILES  stream: 1: the next nonzeros are on their way while the present ones are added up
//
// Sources: Bell & Garland, "Implementing Sparse Matrix-Vector Multiplication on Throughput-Oriented Processors" (SC
// 2009) for rows by thread and by warp, ELL, COO and the hybrid; Saad, "SPARSKIT" (1990), and Kirk & Hwu, "Programming
// Massively Parallel Processors", sparse matrices, for JDS; Greathouse & Daga, "Efficient Sparse Matrix-Vector
// Multiplication on GPUs Using the CSR Storage Format" (SC 2014) for stream; Merrill & Garland, "Merge-Based Parallel
// Sparse Matrix-Vector Multiplication" (SC 2016).

enum class Algorithm {
  rows,
  stream,
  merge,
  coo,
  ell,
  hybrid,
  jds,
  jds_ell,
  dia,
  csc,
  bcsr,
  segmented_scan,
  panels,
  sell,
  binning
};
enum class Layout { row, column };
enum class CooSum { atomic, segmented };
enum class CacheHint { plain, streaming, policy };
enum class XMemory { global, shared };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Layout layout = Layout::LAYOUT;
constexpr CooSum coo_sum = CooSum::COO_SUM;
constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;
constexpr XMemory x_memory = XMemory::X_MEMORY;
constexpr int coarsening = COARSENING;
constexpr int tile = BLOCK_SIZE * COARSENING;  // products in shared memory, or a block's part of the merge path

#include "bcsr.cuh"
#include "binning.cuh"
#include "coo.cuh"
#include "csc.cuh"
#include "csr.cuh"
#include "dia.cuh"
#include "panels.cuh"
#include "rows.cuh"
#include "sections.cuh"
#include "segmented_scan.cuh"
#include "sell.cuh"

// A kernel that the algorithm does not launch is empty, which halves the time to compile a configuration.

// starts: rows + 1 numbers; columns, values: starts[rows] each; x: as many as A has columns; y: rows, for merge zero;
// first_columns, last_columns: the range of columns of 32 rows each.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_csr(const int* __restrict__ starts, const int* __restrict__ columns, const float* __restrict__ values,
             const int* __restrict__ first_columns, const int* __restrict__ last_columns, const float* __restrict__ x,
             float* __restrict__ y, int rows) {
  const Nonzeros a{columns, values, x};
  if constexpr (algorithm == Algorithm::rows) {
    multiply_rows(a, starts, y, rows);
  } else if constexpr (algorithm == Algorithm::stream) {
    multiply_stream(a, starts, first_columns, last_columns, y, rows);
  } else if constexpr (algorithm == Algorithm::merge) {
    multiply_merge(a, starts, y, rows);
  }
}

// rows_of, columns, values: *count of each, in the order of their rows. Adds to y.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_coo(const int* __restrict__ rows_of, const int* __restrict__ columns, const float* __restrict__ values,
             const float* __restrict__ x, float* __restrict__ y, const int* __restrict__ count) {
  const Nonzeros a{columns, values, x};
  if constexpr (algorithm != Algorithm::coo && algorithm != Algorithm::hybrid) {
    return;
  } else if constexpr (coo_sum == CooSum::atomic) {
    multiply_coo_atomically(a, rows_of, y, *count);
  } else {
    multiply_coo_by_segments(a, rows_of, y, *count);
  }
}

// columns, values: rows x stored, or stored x rows.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_ell(const int* __restrict__ columns, const float* __restrict__ values, const float* __restrict__ x,
             float* __restrict__ y, int rows, int width, int stored) {
  if constexpr (algorithm == Algorithm::ell || algorithm == Algorithm::hybrid)
    multiply_ell({columns, values, x}, y, rows, width, stored);
}

// columns, values: row by row or diagonal by diagonal.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_jds(const int* __restrict__ sorted_rows, const int* __restrict__ sorted_starts,
             const int* __restrict__ diagonals, const int* __restrict__ columns, const float* __restrict__ values,
             const float* __restrict__ x, float* __restrict__ y, int rows) {
  if constexpr (algorithm == Algorithm::jds)
    multiply_jds({columns, values, x}, sorted_rows, sorted_starts, diagonals, y, rows);
}

// section_rows: sections + 1; section_widths, section_starts: sections each; columns, values: section by section.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_section(const int* __restrict__ section_rows, const int* __restrict__ section_widths,
                 const int* __restrict__ section_starts, const int* __restrict__ sorted_rows,
                 const int* __restrict__ columns, const float* __restrict__ values, const float* __restrict__ x,
                 float* __restrict__ y, int section) {
  if constexpr (algorithm == Algorithm::jds_ell)
    multiply_section({columns, values, x}, {section_rows, section_widths, section_starts}, sorted_rows, y, section);
}

// offsets: *count; values: *count x rows.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_dia(const int* __restrict__ offsets, const float* __restrict__ values, const int* __restrict__ count,
             const float* __restrict__ x, float* __restrict__ y, int rows) {
  if constexpr (algorithm == Algorithm::dia) multiply_dia(offsets, values, *count, x, y, rows);
}

// starts: columns + 1 numbers; rows_of, values: starts[columns] each; y: zero before.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_csc(const int* __restrict__ starts, const int* __restrict__ rows_of, const float* __restrict__ values,
             const float* __restrict__ x, float* __restrict__ y, int columns) {
  if constexpr (algorithm == Algorithm::csc) multiply_csc(starts, rows_of, values, x, y, columns);
}

// starts: rows of blocks + 1; columns: starts[rows of blocks]; values: BCSR_BLOCK x BCSR_BLOCK times as many.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_bcsr(const int* __restrict__ starts, const int* __restrict__ columns, const float* __restrict__ values,
              const float* __restrict__ x, float* __restrict__ y, int rows) {
  if constexpr (algorithm == Algorithm::bcsr) multiply_bcsr(starts, columns, values, x, y, rows);
}

// columns, values, row_in_panel: starts[rows] each, panel by panel of panel_rows rows.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_panels(const int* __restrict__ starts, const int* __restrict__ columns, const float* __restrict__ values,
                const unsigned short* __restrict__ row_in_panel, const float* __restrict__ x, float* __restrict__ y,
                int rows, int panel_rows) {
  if constexpr (algorithm == Algorithm::panels)
    multiply_panel({columns, values, x}, starts, row_in_panel, y, rows, panel_rows);
}

// first_columns, widths: a number for each group of 1,024 rows; chunk_starts: one for each 32 rows, and the end;
// rows_of: whole groups; columns, values: chunk_starts' last.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_sell(const int* __restrict__ first_columns, const int* __restrict__ widths,
              const int* __restrict__ chunk_starts, const unsigned short* __restrict__ rows_of,
              const unsigned short* __restrict__ columns, const float* __restrict__ values, const float* __restrict__ x,
              float* __restrict__ y, int rows) {
  if constexpr (algorithm == Algorithm::sell)
    multiply_sell({first_columns, widths, chunk_starts, rows_of, columns, values}, x, y, rows);
}

// bin_starts: a number for each tile, a block's, and panel, and the end; bin_targets: for each of both; columns,
// values, products: a number for each nonzero; panel_rows, y: as below.
extern "C" __global__ void __launch_bounds__(tile_threads)
    spmv_multiply_tiles(const int* __restrict__ bin_starts, const int* __restrict__ bin_targets,
                        const unsigned short* __restrict__ columns, const float* __restrict__ values,
                        const float* __restrict__ x, float* __restrict__ products, const int* __restrict__ panel_rows,
                        float* __restrict__ y, int rows, int tile_columns, int panels) {
  if constexpr (algorithm == Algorithm::binning)
    multiply_tile({columns, values, nullptr, products}, bin_starts, bin_targets, x, panel_rows, y, rows, tile_columns,
                  panels);
}

// places, products: a number for each nonzero, and room for three more; starts: rows + 1 numbers; panel_rows: panels +
// 1; y: rows, with what the first launch has made zero. A block for each panel.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv_sum_panels(const unsigned short* __restrict__ places, const float* __restrict__ products,
                    const int* __restrict__ starts, const int* __restrict__ panel_rows, float* __restrict__ y,
                    int count) {
  if constexpr (algorithm == Algorithm::binning) sum_panel(places, products, starts, panel_rows, y, count);
}
