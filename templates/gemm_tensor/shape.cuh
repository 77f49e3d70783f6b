// Which part of the product each warp and lane works on, and how tiles lie in shared memory. The parameters are
// described in kernel.cu.
#pragma once

#include "formats.cuh"
#include "tiles.cuh"

enum class SharedLayout { swizzled, padded };
enum class CopySchedule { first, spread };
enum class Traversal { rows, serpentine };
enum class Round { truncate, nearest };
enum class Output { direct, shared };

constexpr Format format = Format::FORMAT;
constexpr SharedLayout shared_layout = SharedLayout::SMEM_LAYOUT;
constexpr CopySchedule copy_schedule = CopySchedule::COPY_SCHEDULE;
constexpr Traversal traversal = Traversal::TRAVERSAL;
constexpr Round rounding = Round::ROUND;
constexpr Output output = Output::EPILOGUE;

using Element = typename Stored<format>::type;

constexpr int element_bytes = static_cast<int>(sizeof(Element));
constexpr int chunk_bytes = 16;                     // what one copy moves, and a row of an 8 x 8 matrix
constexpr int step_bytes = 32;                      // of each of A's rows, what one multiplication takes
constexpr int step_k = step_bytes / element_bytes;  // the same in elements: m16n8k16, or m16n8k8 for TF32
constexpr int steps = TILE_K / step_k;
constexpr int tiles_m = WARP_M / 16;
constexpr int tiles_n = WARP_N / 8;
constexpr int warps_n = TILE_N / WARP_N;
constexpr int warps = TILE_M / WARP_M * warps_n;
constexpr int threads = 32 * warps;

__device__ inline Place warp_in_block() {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  return {warp / warps_n * WARP_M, warp % warps_n * WARP_N};
}

// Where in a tile, counted in bytes, its rows keep theirs. Tiles are read in one of two ways:
enum class Access {
  matrices,  // ldmatrix: 16 bytes each of eight rows below each other
  lanes      // 4 bytes of each lane: eight neighbours of each of four rows (B of floats)
};

// RowBytes is a power of two. The eight groups of 16 bytes that shared memory delivers at once come from different
// banks if their rows' places differ modulo 128 bytes.
template <int Rows, int RowBytes, Access access>
struct Layout {
  static constexpr int rows = Rows;
  static constexpr int row_bytes = RowBytes;
  static constexpr int padding = shared_layout == SharedLayout::swizzled ? 0 : (access == Access::matrices ? 16 : 32);
  static constexpr int pitch = RowBytes + padding;
  static constexpr int bytes = Rows * pitch;

  // Rows shorter than 128 bytes share a line of all banks, and what they are permuted by.
  __device__ static unsigned permutation(int row) {
    if constexpr (shared_layout == SharedLayout::padded) return 0;
    constexpr int rows_per_line = max_of(1, 128 / RowBytes);
    constexpr int groups = min_of(8, RowBytes / 16);
    return static_cast<unsigned>(access == Access::lanes ? row % 4 * 32 : row / rows_per_line % groups * 16);
  }
  __device__ static unsigned place(int row, int byte) {
    return static_cast<unsigned>(row * pitch) + (static_cast<unsigned>(byte) ^ permutation(row));
  }
  // From place(row, byte) to place(row + down, byte + across), both known at compile time: down a multiple of eight (or
  // of four, for lanes), across of bits that byte has not, so that an XOR adds it.
  __device__ static unsigned moved(unsigned from, int down, int across) {
    const unsigned distance = static_cast<unsigned>(across);
    return (shared_layout == SharedLayout::swizzled ? from ^ distance : from + distance) +
           static_cast<unsigned>(down * pitch);
  }
};

using LayoutOfA = Layout<TILE_M, TILE_K * element_bytes, Access::matrices>;
using LayoutOfB = Layout<TILE_K, TILE_N * element_bytes, format == Format::tf32 ? Access::lanes : Access::matrices>;
constexpr int stage_bytes = LayoutOfA::bytes + LayoutOfB::bytes;
