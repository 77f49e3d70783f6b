// A thread's points and how they meet the atoms around the block.
#pragma once

#include "grid.cuh"

struct Atoms {
  const int* counts;  // of each bin, and behind them of the overflow list; a bin's may exceed its capacity
  const float4* bins;
  const float4* overflow;
  const int* starts;  // of bins of any length: where each begins, and the end
};

// COARSENING_Z neighbours along z.
struct Points {
  float x;
  float y;
  float z;
  float sums[COARSENING_Z] = {};

  __device__ Points(int first_x, int first_y, int first_z)
      : x(spacing * static_cast<float>(first_x)),
        y(spacing * static_cast<float>(first_y)),
        z(spacing * static_cast<float>(first_z)) {}

  __device__ void add(float4 atom) {
    const float dx = x - atom.x;
    const float dy = y - atom.y;
    const float distance_xy = dx * dx + dy * dy;
    // The points lie on a line: outside of the cylinder around it nothing reaches them.
    if (tests_cylinder && distance_xy >= cutoff_squared) return;
#pragma unroll
    for (int i = 0; i < COARSENING_Z; ++i) {
      const float dz = z + spacing * static_cast<float>(i) - atom.z;
      sums[i] += shifted_potential(atom.w, dz * dz + distance_xy);
    }
  }
};

// The points of one axis that may lie within the cutoff of an atom.
__device__ inline Range points_around(float coordinate, int grid_points) {
  const int nearest = static_cast<int>(coordinate / spacing);
  return {max(nearest - cutoff_points, 0), min(nearest + cutoff_points + 1, grid_points - 1)};
}

__device__ inline int thread_in_block() {
  return (static_cast<int>(threadIdx.z) * BLOCK_DIM_Y + static_cast<int>(threadIdx.y)) * BLOCK_DIM_X +
         static_cast<int>(threadIdx.x);
}

__device__ inline void add_overflow_cached(Points& points, const Atoms& atoms, const Region& region, Grid grid) {
  if constexpr (overflow_list == OverflowList::gather) {
    const int count = atoms.counts[grid.all_bins()];
    for (int i = 0; i < count; ++i)
      if (region.reached_by(atoms.overflow[i])) points.add(atoms.overflow[i]);
  }
}

__device__ inline void gather_cached(Points& points, const Atoms& atoms, const Region& region, Grid grid) {
  const Range xs = bins_around(region.x, grid.x);
  const Range ys = bins_around(region.y, grid.y);
  const Range zs = bins_around(region.z, grid.z);
  for (int z = zs.first; z <= zs.last; ++z)
    for (int y = ys.first; y <= ys.last; ++y)
      for (int x = xs.first; x <= xs.last; ++x) {
        if (culling != Culling::none && !region.reached_by_bin(x, y, z)) continue;
        const int bin = (z * grid.bins(grid.y) + y) * grid.bins(grid.x) + x;
        const int count = min(atoms.counts[bin], BIN_CAPACITY);
        const float4* slots = atoms.bins + static_cast<long long>(bin) * BIN_CAPACITY;
#pragma unroll unroll
        for (int i = 0; i < count; ++i) points.add(slots[i]);
      }
  add_overflow_cached(points, atoms, region, grid);
}

// Atoms in shared memory that the block's points have not met yet. A block's threads append at most one each between
// two calls of meet().
struct Stage {
  float4 atoms[threads * STAGED_ATOMS];
  int count;

  __device__ void append(float4 atom) { atoms[atomicAdd(&count, 1)] = atom; }

  // All of the block's threads call this: computes once there may be no room for another atom per thread.
  __device__ void meet(Points& points, int most) {
    __syncthreads();
    const int here = count;
    if (here > most) {
#pragma unroll unroll
      for (int i = 0; i < here; ++i) points.add(atoms[i]);
    }
    __syncthreads();  // nobody appends before all know how many there were and have met them
    if (here <= most) return;
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) count = 0;
    __syncthreads();
  }
};

// Finds room for an atom per thread, and leaves none in shared memory.
__device__ inline void add_overflow_staged(Points& points, Stage& stage, const Atoms& atoms, const Region& region,
                                           Grid grid) {
  if constexpr (overflow_list == OverflowList::gather) {
    const int count = atoms.counts[grid.all_bins()];
    for (int start = 0; start < count; start += threads) {
      const int i = start + thread_in_block();
      if (i < count && region.reached_by(atoms.overflow[i])) stage.append(atoms.overflow[i]);
      stage.meet(points, threads * (STAGED_ATOMS - 1));
    }
  }
  stage.meet(points, 0);
}

// A thread takes slots of the bins around the block, which are neighbours in memory along x, as they come.
__device__ inline void gather_staged(Points& points, const Atoms& atoms, const Region& region, Grid grid) {
  __shared__ Stage stage;
  const int thread = thread_in_block();
  if (thread == 0) stage.count = 0;
  __syncthreads();
  const Range xs = bins_around(region.x, grid.x);
  const Range ys = bins_around(region.y, grid.y);
  const Range zs = bins_around(region.z, grid.z);
  const int slots = xs.size() * ys.size() * zs.size() * BIN_CAPACITY;
  for (int start = 0; start < slots; start += threads) {
    const int slot = start + thread;
    const int x = xs.first + slot / BIN_CAPACITY % xs.size();
    const int y = ys.first + slot / BIN_CAPACITY / xs.size() % ys.size();
    const int z = zs.first + slot / BIN_CAPACITY / xs.size() / ys.size();
    if (slot < slots && (culling == Culling::none || region.reached_by_bin(x, y, z))) {
      const int bin = (z * grid.bins(grid.y) + y) * grid.bins(grid.x) + x;
      if (slot % BIN_CAPACITY < atoms.counts[bin]) {
        const float4 atom = atoms.bins[static_cast<long long>(bin) * BIN_CAPACITY + slot % BIN_CAPACITY];
        if (culling != Culling::atoms || region.reached_by(atom)) stage.append(atom);
      }
    }
    stage.meet(points, threads * (STAGED_ATOMS - 1));
  }
  add_overflow_staged(points, stage, atoms, region, grid);
}
