// A block's bins as runs of atoms that are neighbours in memory: a bin of fixed capacity, a bin of any length, or a
// pencil, which is a row of bins along x.
#pragma once

#include "gather.cuh"
#include "neighbours.cuh"

struct Run {
  long long first;
  int count;
};

// Bins `first` to `last`, which are neighbours along x. Only bins of any length leave no gaps.
__device__ inline Run run_of(const Atoms& atoms, int first, int last) {
  if constexpr (is_dynamic) return {atoms.starts[first], atoms.starts[last + 1] - atoms.starts[first]};
  return {static_cast<long long>(first) * BIN_CAPACITY, min(atoms.counts[first], BIN_CAPACITY)};
}

// Calls visit(run) for the bins around the block, the same ones for all of its threads.
template <class Visit>
__device__ inline void for_each_computed_run(const Atoms& atoms, const Region& region, Grid grid, Visit visit) {
  const Range xs = bins_around(region.x, grid.x);
  const Range ys = bins_around(region.y, grid.y);
  const Range zs = bins_around(region.z, grid.z);
  for (int z = zs.first; z <= zs.last; ++z)
    for (int y = ys.first; y <= ys.last; ++y)
      for (int x = xs.first; x <= xs.last; ++x) {
        const int bin = (z * grid.bins(grid.y) + y) * grid.bins(grid.x) + x;
        if (culling == Culling::none || region.reached_by_bin(x, y, z)) visit(run_of(atoms, bin, bin));
      }
}

template <class Visit>
__device__ inline void for_each_listed_run(const Atoms& atoms, const Region& region, Grid grid, Visit visit) {
  const int home_x = region.x.first / edge_points;
  const int home_y = region.y.first / edge_points;
  const int home_z = region.z.first / edge_points;
  for (int i = 0; i < neighbour_list.count; ++i) {
    const Neighbour neighbour = neighbour_list.at[i];
    const int y = home_y + neighbour.y;
    const int z = home_z + neighbour.z;
    if (y < 0 || y >= grid.bins(grid.y) || z < 0 || z >= grid.bins(grid.z)) continue;
    const int first = max(home_x + neighbour.first, 0);
    const int last = min(home_x + neighbour.last, grid.bins(grid.x) - 1);
    const int row = (z * grid.bins(grid.y) + y) * grid.bins(grid.x);
    if (first <= last) visit(run_of(atoms, row + first, row + last));
  }
}

template <class Visit>
__device__ inline void for_each_run(const Atoms& atoms, const Region& region, Grid grid, Visit visit) {
  if constexpr (neighbours == Neighbours::computed) {
    for_each_computed_run(atoms, region, grid, visit);
  } else {
    for_each_listed_run(atoms, region, grid, visit);
  }
}

__device__ inline void gather_runs_cached(Points& points, const Atoms& atoms, const Region& region, Grid grid) {
  for_each_run(atoms, region, grid, [&](const Run& run) {
#pragma unroll unroll
    for (int i = 0; i < run.count; ++i) points.add(atoms.bins[run.first + i]);
  });
  add_overflow_cached(points, atoms, region, grid);
}

// `room` is what shared memory has left if no atom was culled, the same for all threads: they meet only when a run
// might not fit.
__device__ inline void gather_runs_staged(Points& points, const Atoms& atoms, const Region& region, Grid grid) {
  __shared__ Stage stage;
  const int thread = thread_in_block();
  if (thread == 0) stage.count = 0;
  __syncthreads();
  int room = threads * STAGED_ATOMS;
  for_each_run(atoms, region, grid, [&](const Run& run) {
    for (int start = 0; start < run.count; start += threads) {
      const int here = min(run.count - start, threads);
      if (here > room) {
        stage.meet(points, 0);
        room = threads * STAGED_ATOMS;
      }
      if (thread < here) {
        const float4 atom = atoms.bins[run.first + start + thread];
        if (culling != Culling::atoms || region.reached_by(atom)) stage.append(atom);
      }
      room -= here;
    }
  });
  stage.meet(points, 0);
  add_overflow_staged(points, stage, atoms, region, grid);
}
