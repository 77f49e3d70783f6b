// The floats of A and B on their way through shared memory (ALGORITHM=mma). The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/async_copy.cuh>

#include "places.cuh"

constexpr int threads = 32 * (TILE_M / WARP_M) * (TILE_N / WARP_N);

// Rows of A: eight rows of a fragment are read at once, eight floats of each. Rows of B: four rows, every second one,
// eight floats of each. Both come from different banks.
constexpr int a_pitch = TILE_K + 8;
constexpr int b_pitch = TILE_N + 4;
constexpr int a_floats = TILE_M * a_pitch;
constexpr int stage_floats = a_floats + TILE_K * b_pitch;

// A thread's groups of four floats of a tile of Rows x Columns, out of a row-major matrix whose rows start aligned to
// `Aligned` floats.
template <int Rows, int Columns, int Pitch, int Aligned>
struct Source {
  static constexpr int per_row = Columns / 4;
  static constexpr int rows_at_once = threads / per_row;
  static_assert(threads % per_row == 0 && Rows % rows_at_once == 0, "threads copy equal shares");

  const float* data;  // this thread's first group of the next tile
  long long pitch;    // floats from row to row
  int rows;           // from there on down to the end of the matrix
  int columns;        // and to the right

  __device__ static int row() { return static_cast<int>(threadIdx.x) / per_row; }
  __device__ static int column() { return static_cast<int>(threadIdx.x) % per_row * 4; }

  __device__ void copy(float* tile) const {
#pragma unroll
    for (int down = 0; down < Rows; down += rows_at_once) {
#pragma unroll
      for (int part = 0; part < 4; part += Aligned) {
        warptune::device::copy_async_or_zero<4 * Aligned>(tile + (row() + down) * Pitch + column() + part,
                                                          data + down * pitch + part, down < rows && part < columns);
      }
    }
  }
};

using SourceOfA = Source<TILE_M, TILE_K, a_pitch, A_ALIGNED>;
using SourceOfB = Source<TILE_K, TILE_N, b_pitch, B_ALIGNED>;

template <class Result>
__device__ inline Result source_of(const float* matrix, int rows, int columns, Place at) {
  const int row = at.row + Result::row();
  const int column = at.column + Result::column();
  return {matrix + static_cast<long long>(row) * columns + column, columns, rows - row, columns - column};
}

// A ring of STAGES pairs of tiles. While one pair is multiplied, STAGES - 1 later ones are on their way.
struct Ring {
  float* shared;
  SourceOfA a;
  SourceOfB b;
  int left;  // pairs to copy
  int reading = 0;
  int writing = 0;

  __device__ static int after(int stage) { return stage == (STAGES - 1) * stage_floats ? 0 : stage + stage_floats; }
  __device__ const float* a_tile() const { return shared + reading; }
  __device__ const float* b_tile() const { return shared + reading + a_floats; }

  __device__ void send() {
    if (left-- > 0) {
      a.copy(shared + writing);
      b.copy(shared + writing + a_floats);
    }
    warptune::device::commit_copies();
    a.data += TILE_K;
    a.columns -= TILE_K;
    b.data += TILE_K * b.pitch;
    b.rows -= TILE_K;
    writing = after(writing);
  }
  __device__ void start() {
    for (int i = 0; i < STAGES - 1; ++i) send();
    receive();
  }
  // Its one barrier shows what has arrived, and frees the stage that all have read.
  __device__ void receive() {
    warptune::device::wait_for_copies<STAGES - 2>();
    __syncthreads();
  }
  __device__ void turn() {
    reading = after(reading);
    receive();
  }
};
