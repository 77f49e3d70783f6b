// Tiles of all operands on their way through shared memory. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/async_copy.cuh>

#include "problem.cuh"

constexpr int warps_m = TILE_M / WARP_M;
constexpr int warps_n = TILE_N / WARP_N;
constexpr int threads = 32 * warps_m * warps_n * SLICED_K;
constexpr int chunk_bytes = 16;  // what one copy moves

// Rows of a tile in shared memory. Turned: which of a row's chunks trade places, by an XOR, so that the eight lanes
// that are served at once meet in no bank. Of A they read four chunks of two rows, of weights two chunks of four. Rows
// of A that are four chunks long lie in a line of all banks already.
struct RowsOfA {
  static constexpr int rows = TILE_M;
  static constexpr int row_bytes = TILE_K * 2;
  __device__ static int turned(int row) { return TILE_K > 32 ? (row & 1) * 4 : 0; }
};
struct RowsOfWeights {
  static constexpr int rows = TILE_K / word_k;
  static constexpr int row_bytes = TILE_N * 4;
  __device__ static int turned(int row) { return (row & 3) * 2; }
};
constexpr int groups_of_tile = max_of(1, TILE_K / group_k);
struct RowsOfScales {
  static constexpr int rows = groups_of_tile;
  static constexpr int row_bytes = TILE_N * 2;
  __device__ static int turned(int) { return 0; }
};
struct RowsOfZeros {
  static constexpr int rows = zero_points == ZeroPoints::groups ? groups_of_tile : 0;
  static constexpr int row_bytes = TILE_N / 2;
  __device__ static int turned(int) { return 0; }
};

template <class Rows>
__device__ inline int place_in_tile(int row, int chunk) {
  return row * Rows::row_bytes + (chunk ^ Rows::turned(row)) * chunk_bytes;
}

constexpr int bytes_of_a = RowsOfA::rows * RowsOfA::row_bytes;
constexpr int bytes_of_weights = RowsOfWeights::rows * RowsOfWeights::row_bytes;
constexpr int bytes_of_scales = RowsOfScales::rows * RowsOfScales::row_bytes;
constexpr int stage_bytes =
    bytes_of_a + bytes_of_weights + bytes_of_scales + RowsOfZeros::rows * RowsOfZeros::row_bytes;

struct Stage {
  char* a;

  __device__ char* weights() const { return a + bytes_of_a; }
  __device__ char* scales() const { return weights() + bytes_of_weights; }
  __device__ char* zeros() const { return scales() + bytes_of_scales; }
};

// Starts to copy 2 to 16 bytes, or zeros instead; of 2 no copy is asynchronous.
template <int Bytes>
__device__ inline void copy_some(char* target, const char* source, bool inside) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (Bytes == 16 && L2_PREFETCH == 128) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(target));
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(address), "l"(source),
                 "r"(inside ? 16 : 0)
                 : "memory");
    return;
  }
#endif
  if constexpr (Bytes >= 4) {
    warptune::device::copy_async_or_zero<Bytes>(target, source, inside);
  } else {
    *reinterpret_cast<unsigned short*>(target) = inside ? *reinterpret_cast<const unsigned short*>(source) : 0;
  }
}

// A thread's chunks of a tile, out of a row-major matrix whose rows lie `Pitch` bytes apart and start aligned to
// `Aligned`; both are known, so that most of an address is part of the instruction. Chunk i lies i * rows_at_once rows
// below chunk 0. Whole: tiles along K do not reach beyond the matrix.
template <class Rows, long long Pitch, int Aligned, bool WholeDown, bool WholeAcross>
struct Source {
  static constexpr int per_row = Rows::row_bytes / chunk_bytes;
  static constexpr int rows_at_once = threads / per_row;
  static constexpr int count = (Rows::rows + rows_at_once - 1) / rows_at_once;

  const char* data;  // chunk 0 of the tile
  int rows;          // from chunk 0 on down to the end of the matrix
  int bytes;         // and to the right

  // Of a matrix with so many rows, and bytes in each; the tile begins at this row and byte.
  __device__ Source(const void* matrix, int rows_of_matrix, int bytes_of_row, int first_row, int first_byte)
      : data(static_cast<const char*>(matrix) + (first_row + row()) * Pitch + first_byte + chunk() * chunk_bytes),
        rows(rows_of_matrix - first_row - row()),
        bytes(bytes_of_row - first_byte - chunk() * chunk_bytes) {}

  __device__ static int row() { return static_cast<int>(threadIdx.x) / per_row; }
  __device__ static int chunk() { return static_cast<int>(threadIdx.x) % per_row; }

  __device__ void copy(char* tile) const {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const int down = i * rows_at_once;
      if (Rows::rows % rows_at_once != 0 && row() + down >= Rows::rows) break;
      char* target = tile + place_in_tile<Rows>(row() + down, chunk());
      const char* from = data + down * Pitch;
#pragma unroll
      for (int part = 0; part < chunk_bytes; part += Aligned) {
        const bool inside = (WholeDown || down < rows) && (WholeAcross || part < bytes);
        copy_some<Aligned>(target + part, from + part, inside);
      }
    }
  }
  // To the tile that begins so many rows further down, or bytes to the right.
  __device__ void move(int down, int across) {
    data += down * Pitch + across;
    rows -= down;
    bytes -= across;
  }
};

using SourceOfA = Source<RowsOfA, A_PITCH, A_ALIGNED, false, WHOLE_K>;
using SourceOfWeights = Source<RowsOfWeights, B_PITCH, B_ALIGNED, WHOLE_K, WHOLE_N>;
using SourceOfScales = Source<RowsOfScales, S_PITCH, S_ALIGNED, WHOLE_K, WHOLE_N>;
using SourceOfZeros = Source<RowsOfZeros, Z_PITCH, Z_ALIGNED, WHOLE_K, WHOLE_N>;

// The tiles of one block, for every step along K.
class Sources {
 public:
  __device__ Sources(const Operands& from, Place at, int step)
      : a_(from.a, from.m, 2 * from.k, at.row, 2 * step * TILE_K),
        weights_(from.weights, (from.k - 1) / word_k + 1, 4 * from.n, step * RowsOfWeights::rows, 4 * at.column),
        scales_(from.scales, (from.k - 1) / group_k + 1, 2 * from.n, step * TILE_K / group_k, 2 * at.column),
        zeros_(from.zeros, (from.k - 1) / group_k + 1, ((from.n - 1) / 8 + 1) * 4, step * TILE_K / group_k,
               at.column / 2),
        step_(step) {}

  __device__ void copy(Stage stage) {
    a_.copy(stage.a);
    weights_.copy(stage.weights());
    scales_.copy(stage.scales());
    if constexpr (zero_points == ZeroPoints::groups) zeros_.copy(stage.zeros());
    a_.move(0, 2 * TILE_K);
    weights_.move(RowsOfWeights::rows, 0);
    const int down = (step_ + 1) * TILE_K / group_k - step_ * TILE_K / group_k;
    scales_.move(down, 0);
    zeros_.move(down, 0);
    ++step_;
  }

 private:
  SourceOfA a_;
  SourceOfWeights weights_;
  SourceOfScales scales_;
  SourceOfZeros zeros_;
  int step_;
};

// A ring of STAGES. While one is multiplied, STAGES - 1 later ones are on their way.
class Ring {
 public:
  __device__ Ring(char* shared, const Sources& sources, int steps) : shared_(shared), sources_(sources), left_(steps) {
    for (int i = 0; i < STAGES - 1; ++i) send();
  }
  // The next stage. The one barrier shows what has arrived, and frees the stage that all have read.
  __device__ Stage next() {
    warptune::device::wait_for_copies<STAGES - 2>();
    __syncthreads();
    const Stage stage{shared_ + reading_};
    reading_ = after(reading_);
    send();
    return stage;
  }

 private:
  __device__ static int after(int stage) { return stage == (STAGES - 1) * stage_bytes ? 0 : stage + stage_bytes; }
  __device__ void send() {
    if (left_ > 0) sources_.copy({shared_ + writing_});
    warptune::device::commit_copies();
    writing_ = after(writing_);
    --left_;
  }

  char* shared_;
  Sources sources_;
  int left_;  // steps that are still to be sent
  int reading_ = 0;
  int writing_ = 0;
};
