// A block marches along z: each plane is read once, its maxima are taken along x and y in shared memory, and those of
// the last planes stay in registers, as stencils keep theirs.
#pragma once

#include "volume.cuh"

constexpr int outputs_y = BLOCK_DIM_Y * COARSENING_Y;
constexpr int plane_x = BLOCK_DIM_X + halo;
constexpr int plane_y = outputs_y + halo;
constexpr int plane_size = plane_x * plane_y;
constexpr int share = (plane_size + threads - 1) / threads;  // of a plane, that a thread loads

using Column = float[COARSENING_Y];

struct Planes {
  const Volume& input;
  float* plane;
  float* row_maxima;  // plane_y rows of BLOCK_DIM_X
  int first_y;        // of the halo
  int first_x;
  float staged[share];

  __device__ void fetch(int z) {
#pragma unroll
    for (int i = 0; i < share; ++i) {
      const int place = thread_in_block() + i * threads;
      staged[i] = place < plane_size ? input.at(z, first_y + place / plane_x, first_x + place % plane_x) : nothing();
    }
  }
  __device__ void put() {
#pragma unroll
    for (int i = 0; i < share; ++i) {
      const int place = thread_in_block() + i * threads;
      if (place < plane_size) plane[place] = staged[i];
    }
  }
  __device__ void take_row_maxima() {
    for (int i = thread_in_block(); i < plane_y * BLOCK_DIM_X; i += threads) {
      const float* row = plane + i / BLOCK_DIM_X * plane_x + i % BLOCK_DIM_X;
      float maximum = row[0];
#pragma unroll
      for (int x = 1; x < span; ++x) maximum = fmaxf(maximum, row[x]);
      row_maxima[i] = maximum;
    }
  }

  // The maxima within plane z, at this thread's outputs. All threads of the block come here together; if planes are
  // read ahead, `next` is the one that comes afterwards.
  __device__ void read(Column& maxima, int z, int next) {
    if constexpr (!PREFETCH) fetch(z);
    put();
    __syncthreads();
    if constexpr (PREFETCH) fetch(next);
    take_row_maxima();
    __syncthreads();
    const float* column = row_maxima + static_cast<int>(threadIdx.y) * COARSENING_Y * BLOCK_DIM_X + threadIdx.x;
    float values[COARSENING_Y + halo];
#pragma unroll
    for (int i = 0; i < COARSENING_Y + halo; ++i) values[i] = column[i * BLOCK_DIM_X];
#pragma unroll
    for (int i = 0; i < COARSENING_Y; ++i) {
      maxima[i] = values[i];
#pragma unroll
      for (int j = 1; j < span; ++j) maxima[i] = fmaxf(maxima[i], values[i + j]);
    }
  }
};

__device__ inline void store_column(float* output, const Volume& input, const Column& maxima, int z) {
  const int x = static_cast<int>(blockIdx.x * BLOCK_DIM_X + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * outputs_y + static_cast<int>(threadIdx.y) * COARSENING_Y;
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i)
    if (input.holds(z, y + i, x)) output[input.place(z, y + i, x)] = maxima[i];
}

// Each output takes the maximum of a queue of planes.
__device__ inline void march_with_queue(Planes& planes, float* output, int first, int end) {
  Column queue[span];
#pragma unroll
  for (int i = 0; i + 1 < span; ++i) planes.read(queue[i + 1], first - before + i, first - before + i + 1);
  for (int z = first; z < end; ++z) {
    Column maxima;
#pragma unroll
    for (int j = 0; j < COARSENING_Y; ++j) {
#pragma unroll
      for (int i = 0; i + 1 < span; ++i) queue[i][j] = queue[i + 1][j];
    }
    planes.read(queue[span - 1], z + after, z + after + 1);
#pragma unroll
    for (int j = 0; j < COARSENING_Y; ++j) {
      maxima[j] = queue[0][j];
#pragma unroll
      for (int i = 1; i < span; ++i) maxima[j] = fmaxf(maxima[j], queue[i][j]);
    }
    store_column(output, planes.input, maxima, z);
  }
}

// Each output takes the suffix of one segment of `span` planes and the prefix of the next.
__device__ inline void march_with_segments(Planes& planes, float* output, int first, int end) {
  float segment[COARSENING_Y][span];
  Column column;
#pragma unroll
  for (int i = 0; i < span; ++i) {
    planes.read(column, first - before + i, first - before + i + 1);
#pragma unroll
    for (int j = 0; j < COARSENING_Y; ++j) segment[j][i] = column[j];
  }
  for (int from = first; from < end; from += span) {
    Column prefix;
#pragma unroll
    for (int j = 0; j < COARSENING_Y; ++j) {
      to_suffixes(segment[j]);
      prefix[j] = nothing();
    }
#pragma unroll
    for (int i = 0; i < span; ++i) {
#pragma unroll
      for (int j = 0; j < COARSENING_Y; ++j) column[j] = fmaxf(segment[j][i], prefix[j]);
      store_column(output, planes.input, column, from + i);
      if (from + i + 1 >= end) return;
      planes.read(column, from + i + after + 1, from + i + after + 2);
#pragma unroll
      for (int j = 0; j < COARSENING_Y; ++j) {
        segment[j][i] = column[j];
        prefix[j] = fmaxf(prefix[j], column[j]);
      }
    }
  }
}

__device__ inline void max_by_marching(const Volume& input, float* output, float* shared) {
  const int first = static_cast<int>(blockIdx.z) * COARSENING_Z;
  Planes planes{input, shared, shared + plane_size, static_cast<int>(blockIdx.y) * outputs_y - before,
                static_cast<int>(blockIdx.x) * BLOCK_DIM_X - before};
  if constexpr (PREFETCH) planes.fetch(first - before);
  if constexpr (axis_algorithm == AxisAlgorithm::direct) {
    march_with_queue(planes, output, first, min(first + COARSENING_Z, input.depth));
  } else {
    march_with_segments(planes, output, first, min(first + COARSENING_Z, input.depth));
  }
}
