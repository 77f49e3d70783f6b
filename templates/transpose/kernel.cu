// output[column][row] = input[row][column] for floats. One of the two sides is strided; a tile in shared memory turns
// the strided side into whole memory transactions.
//
//   ALGORITHM     serial: one thread moves everything; thread_per_row: a thread writes a row of the output;
//                 structures_to_arrays: a thread reads a row of the input, which is a structure of few fields;
//                 scatter: coalesced reads, strided writes; gather: strided reads, coalesced writes (both a thread per
//                 element for COARSENING=1, without shared memory); tiled: both sides coalesced
//   TILE_ROWS, TILE_COLUMNS  the part of the input that a block moves
//   COARSENING    input rows per thread, all in flight at once
//   VECTOR_WIDTH_LOAD, VECTOR_WIDTH_STORE  floats moved by one access to global memory
//   PADDING       elements added to each row of the tile, against bank conflicts
//   SWIZZLE       instead of padding: the tile's columns are permuted by an XOR with the row
//   RASTER_ORDER  of the tiles: along input rows, along input columns, or diagonal
//   CACHE_HINT    plain; streaming: no line will be used again, loads and stores alike leave the L2 cache first; or
//                 only the loads do (what is written may be read next), or only the stores
//   L2_KEEP       of streaming stores, those to so many megabytes at the output's begin stay plain: a part that fits
//                 in the L2 cache survives what streams by, for who reads or writes it next, while of a whole that
//                 does not fit each line is evicted before that
//   L2_PREFETCH   bytes that a load which misses the L2 cache brings there: what it asks for, or 256, the row of a
//                 tile of 64 columns
//
// Sources: Ruetsch & Micikevicius, "Optimizing Matrix Transpose in CUDA" (NVIDIA, 2009) for tile, padding, several rows
// per thread and the diagonal order (partition camping); Harris, "An Efficient Matrix Transpose in CUDA C/C++" (NVIDIA
// developer blog, 2013); NVIDIA's CUTLASS documentation for XOR-swizzled shared memory; NVIDIA, "PTX ISA", ld (cache
// operators, prefetch size); NVIDIA, "CUDA C++ Programming Guide", L2 access management, for keeping no more than fits.

#include <warptune/device/vectors.cuh>

enum class Algorithm { serial, thread_per_row, structures_to_arrays, scatter, gather, tiled };
enum class RasterOrder { rows, columns, diagonal };
enum class CacheHint { plain, streaming, streaming_loads, streaming_stores };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr RasterOrder raster_order = RasterOrder::RASTER_ORDER;
constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;
constexpr bool streams_loads = cache_hint == CacheHint::streaming || cache_hint == CacheHint::streaming_loads;
constexpr bool streams_stores = cache_hint == CacheHint::streaming || cache_hint == CacheHint::streaming_stores;
constexpr long long kept_floats = L2_KEEP * (1LL << 18);  // L2_KEEP: megabytes

constexpr bool has_tiles =
    algorithm == Algorithm::scatter || algorithm == Algorithm::gather || algorithm == Algorithm::tiled;
constexpr int block_threads = has_tiles ? TILE_ROWS * TILE_COLUMNS / (COARSENING * VECTOR_WIDTH_LOAD)
                              : algorithm == Algorithm::serial ? 1
                                                               : 256;
// Padding misaligns whole vectors of a row, so they are moved float by float.
constexpr int pitch = TILE_COLUMNS + PADDING;
constexpr int banks = 32;

using warptune::device::VectorOf;
template <int Width>
using Pack = warptune::device::Pack<float, Width>;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// Each miss brings 256 bytes to the L2 cache.
__device__ inline Pack<4> load_fetching(const float* source) {
  Pack<4> pack;
  float(&at)[4] = pack.at;
  if constexpr (streams_loads) {
    asm("ld.global.cs.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(at[0]), "=f"(at[1]), "=f"(at[2]), "=f"(at[3])
        : "l"(source));
  } else {
    asm("ld.global.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(at[0]), "=f"(at[1]), "=f"(at[2]), "=f"(at[3])
        : "l"(source));
  }
  return pack;
}
#endif

template <int Width>
__device__ inline Pack<Width> load(const float* source) {
#if defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 800
  if constexpr (L2_PREFETCH == 256 && Width == 4) return load_fetching(source);
#endif
  if constexpr (streams_loads) {
    const auto value = __ldcs(reinterpret_cast<const typename VectorOf<float, Width>::type*>(source));
    return reinterpret_cast<const Pack<Width>&>(value);
  }
#endif
  return *reinterpret_cast<const Pack<Width>*>(source);
}

// keep: whether the target is to stay in the cache.
template <int Width>
__device__ inline void store(float* target, const Pack<Width>& pack, bool keep) {
#if defined(__CUDA_ARCH__)
  if (streams_stores && !keep) {
    using Vector = typename VectorOf<float, Width>::type;
    __stcs(reinterpret_cast<Vector*>(target), reinterpret_cast<const Vector&>(pack));
    return;
  }
#endif
  *reinterpret_cast<Pack<Width>*>(target) = pack;
}

// Where the tile keeps (row, column). Swizzled, vectors of VECTOR_WIDTH_LOAD columns stay whole and trade places within
// their row, differently for each VECTOR_WIDTH_STORE rows: a warp that reads a column then meets every bank.
__device__ inline int place(int row, int column) {
  if constexpr (!SWIZZLE) return row * pitch + column;
  constexpr int span = (TILE_COLUMNS < banks ? TILE_COLUMNS : banks) / VECTOR_WIDTH_LOAD;
  const int vector = (column / VECTOR_WIDTH_LOAD) ^ ((row / VECTOR_WIDTH_STORE) % span);
  return row * pitch + vector * VECTOR_WIDTH_LOAD + column % VECTOR_WIDTH_LOAD;
}

struct Tile {
  int row;
  int column;

  // All of its stores alike: the block's threads then need not part.
  __device__ bool keeps(int height) const { return static_cast<long long>(column) * height < kept_floats; }
};

// The first element of this block's tile.
__device__ inline Tile tile_of_block(int height, int width) {
  const unsigned down = static_cast<unsigned>((height - 1) / TILE_ROWS + 1);
  const unsigned across = static_cast<unsigned>((width - 1) / TILE_COLUMNS + 1);
  unsigned row;
  unsigned column;
  if constexpr (raster_order == RasterOrder::rows) {
    row = blockIdx.x / across;
    column = blockIdx.x % across;
  } else {
    row = blockIdx.x % down;
    column = blockIdx.x / down;
    if constexpr (raster_order == RasterOrder::diagonal) column = (column + row) % across;
  }
  return {static_cast<int>(row) * TILE_ROWS, static_cast<int>(column) * TILE_COLUMNS};
}

// Reads the tile with accesses of `Width` floats. Not `Whole`: the tile crosses the matrix' border.
template <int Width, bool Whole>
__device__ inline void read_tile(const float* input, float* tile, Tile at, int height, int width) {
  constexpr int per_row = TILE_COLUMNS / Width;
  constexpr int count = TILE_ROWS * per_row / block_threads;
  const int thread = static_cast<int>(threadIdx.x);
  Pack<Width> packs[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const int row = at.row + (thread + i * block_threads) / per_row;
    const int column = at.column + (thread + i * block_threads) % per_row * Width;
    if (Whole || (row < height && column < width)) {
      packs[i] = load<Width>(input + static_cast<long long>(row) * width + column);
    }
  }
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const int row = (thread + i * block_threads) / per_row;
    const int column = (thread + i * block_threads) % per_row * Width;
    if constexpr (PADDING > 0) {
#pragma unroll
      for (int j = 0; j < Width; ++j) tile[place(row, column + j)] = packs[i].at[j];
    } else {
      *reinterpret_cast<Pack<Width>*>(tile + place(row, column)) = packs[i];
    }
  }
}

// Writes the tile's transpose with accesses of `Width` floats, each gathered from `Width` rows of the tile.
template <int Width, bool Whole>
__device__ inline void write_tile(float* output, const float* tile, Tile at, int height, int width) {
  constexpr int per_column = TILE_ROWS / Width;
  constexpr int count = TILE_COLUMNS * per_column / block_threads;
  const int thread = static_cast<int>(threadIdx.x);
  const bool keep = at.keeps(height);
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const int column = (thread + i * block_threads) / per_column;
    const int row = (thread + i * block_threads) % per_column * Width;
    if (Whole || (at.column + column < width && at.row + row < height)) {
      Pack<Width> pack;
#pragma unroll
      for (int j = 0; j < Width; ++j) pack.at[j] = tile[place(row + j, column)];
      store(output + static_cast<long long>(at.column + column) * height + at.row + row, pack, keep);
    }
  }
}

// Vectors need a whole tile and rows that start aligned; the matrix' border and odd widths go float by float.
__device__ inline void transpose_tile(const float* input, float* output, int height, int width) {
  __shared__ float4 storage[(TILE_ROWS * pitch + 3) / 4];
  float* tile = reinterpret_cast<float*>(storage);
  const Tile at = tile_of_block(height, width);
  const bool whole = at.row + TILE_ROWS <= height && at.column + TILE_COLUMNS <= width;
  if (whole && width % VECTOR_WIDTH_LOAD == 0) {
    read_tile<VECTOR_WIDTH_LOAD, true>(input, tile, at, height, width);
  } else {
    read_tile<1, false>(input, tile, at, height, width);
  }
  __syncthreads();
  if (whole && height % VECTOR_WIDTH_STORE == 0) {
    write_tile<VECTOR_WIDTH_STORE, true>(output, tile, at, height, width);
  } else {
    write_tile<1, false>(output, tile, at, height, width);
  }
}

// Without shared memory: the warp walks along rows (scatter) or columns (gather) of the input's tile.
__device__ inline void transpose_directly(const float* input, float* output, int height, int width) {
  const Tile at = tile_of_block(height, width);
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const int index = thread + i * block_threads;
    const bool by_rows = algorithm == Algorithm::scatter;
    const int row = at.row + (by_rows ? index / TILE_COLUMNS : index % TILE_ROWS);
    const int column = at.column + (by_rows ? index % TILE_COLUMNS : index / TILE_ROWS);
    if (row < height && column < width) {
      const Pack<1> element = load<1>(input + static_cast<long long>(row) * width + column);
      store(output + static_cast<long long>(column) * height + row, element, at.keeps(height));
    }
  }
}

#include "simple.cuh"

// input: height * width floats, row-major; output: width * height; both aligned to 16 bytes. One block per tile, or per
// block_threads rows.
extern "C" __global__ void __launch_bounds__(block_threads)
    transpose(const float* __restrict__ input, float* __restrict__ output, int height, int width) {
  if constexpr (algorithm == Algorithm::tiled) {
    transpose_tile(input, output, height, width);
  } else if constexpr (algorithm == Algorithm::serial) {
    transpose_serially(input, output, height, width);
  } else if constexpr (algorithm == Algorithm::thread_per_row) {
    transpose_row(input, output, height, width);
  } else if constexpr (algorithm == Algorithm::structures_to_arrays) {
    structures_to_arrays(input, output, height, width);
  } else {
    transpose_directly(input, output, height, width);
  }
}
