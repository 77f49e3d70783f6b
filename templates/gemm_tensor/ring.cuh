// The tiles of A and B on their way through shared memory. The parameters are described in kernel.cu.
#pragma once

#include "instructions.cuh"
#include "shape.cuh"

// A thread's groups of 16 bytes of a tile, out of a row-major matrix whose rows start aligned to `Aligned` bytes (2 to
// 16, known when this is compiled): group i lies i * rows_at_once rows below group 0.
template <class Layout, int Aligned>
struct Source {
  static constexpr int per_row = Layout::row_bytes / chunk_bytes;
  static constexpr int rows_at_once = threads / per_row;
  static constexpr int count = Layout::rows / rows_at_once;

  const char* data;  // group 0 of the next tile
  long long pitch;   // bytes from row to row
  int rows;          // from group 0 on down to the end of the matrix
  int columns;       // and to the right
  unsigned place;    // of group 0 in the tile

  __device__ static int row() { return static_cast<int>(threadIdx.x) / per_row; }
  __device__ static int byte() { return static_cast<int>(threadIdx.x) % per_row * chunk_bytes; }

  // Eight rows further down the permutation is the same, and the place a distance known at compile time away.
  __device__ unsigned place_of(int i) const {
    const int down = i * rows_at_once;
    if constexpr (rows_at_once % 8 == 0) return Layout::moved(place, down, 0);
    return Layout::place(row() + down, byte());
  }
  __device__ void copy(int i, SharedAddress tile) const {
    const int down = i * rows_at_once;
    const char* from = data + down * pitch;
#pragma unroll
    for (int part = 0; part < chunk_bytes; part += Aligned) {
      copy_async<Aligned>(tile + place_of(i) + part, from + part, down < rows && part / element_bytes < columns);
    }
  }
  __device__ void move_across() {
    data += Layout::row_bytes;
    columns -= Layout::row_bytes / element_bytes;
  }
  __device__ void move_down() {
    data += Layout::rows * pitch;
    rows -= Layout::rows;
  }
};

template <class Layout, int Aligned>
__device__ inline Source<Layout, Aligned> source_of(const Element* matrix, int rows, int columns, Place at) {
  using Result = Source<Layout, Aligned>;
  const long long pitch = static_cast<long long>(columns) * element_bytes;
  const int row = at.row + Result::row();
  const int column = at.column + Result::byte() / element_bytes;
  const Element* data = matrix + static_cast<long long>(row) * columns + column;
  return {reinterpret_cast<const char*>(data), pitch, rows - row, columns - column,
          Layout::place(Result::row(), Result::byte())};
}

// A ring of STAGES pairs of tiles. While one pair is multiplied, STAGES - 1 later ones are on their way. Past the end
// of K travel zeros, which is cheaper than to ask.
struct Ring {
  using A = Source<LayoutOfA, A_ALIGNED>;
  using B = Source<LayoutOfB, B_ALIGNED>;

  SharedAddress shared;
  A a;
  B b;
  int reading = 0;  // byte offsets of the pair to multiply, and of the one to fill
  int writing = 0;

  __device__ static int after(int stage) { return stage == (STAGES - 1) * stage_bytes ? 0 : stage + stage_bytes; }
  __device__ SharedAddress a_tile() const { return shared + reading; }
  __device__ SharedAddress b_tile() const { return shared + reading + LayoutOfA::bytes; }

  // Starts those copies of the next pair that belong to this step of a tile's multiplication.
  __device__ void send(int step) {
#pragma unroll
    for (int i = 0; i < A::count + B::count; ++i) {
      if (step != (copy_schedule == CopySchedule::first ? 0 : i % steps)) continue;
      if (i < A::count) {
        a.copy(i, shared + writing);
      } else {
        b.copy(i - A::count, shared + writing + LayoutOfA::bytes);
      }
    }
    if (step == (copy_schedule == CopySchedule::first ? 0 : steps - 1)) close();
  }
  __device__ void close() {
    commit_copies();
    a.move_across();
    b.move_down();
    writing = after(writing);
  }

  __device__ void start() {
#pragma unroll
    for (int i = 0; i < (STAGES - 1) * steps; ++i) send(i % steps);
    receive();
  }

  // Its one barrier shows what has arrived, and frees the stage that all have read.
  __device__ void receive() {
    wait_for_copies<STAGES - 2>();
    __syncthreads();
  }
  __device__ void turn() {
    reading = after(reading);
    receive();
  }
};
