// The bins around a block, relative to the bin of its first point. Where blocks cover whole bins, or lie within one,
// this list is the same for all of them: the compiler makes it, and constant memory holds it.
#pragma once

#include "grid.cuh"

// Bins `first` to `last` of a row of bins along x, both included.
struct Neighbour {
  signed char first;
  signed char last;
  signed char y;
  signed char z;
};

constexpr int cutoff_bins = (cutoff_points + edge_points - 1) / edge_points;

__host__ __device__ constexpr int bins_of_block(int points) {
  return points > edge_points ? points / edge_points : 1;
}

constexpr int block_bins_x = bins_of_block(BLOCK_DIM_X);
constexpr int block_bins_y = bins_of_block(BLOCK_DIM_Y);
constexpr int block_bins_z = bins_of_block(BLOCK_DIM_Z * COARSENING_Z);

// How many points lie between a bin and the points of the block's bins along one axis.
__host__ __device__ constexpr int points_between(int bin, int block_bins) {
  if (bin < 0) return -(bin + 1) * edge_points;
  return bin < block_bins ? 0 : (bin - block_bins) * edge_points + 1;
}

__host__ __device__ constexpr bool is_near(int x, int y, int z) {
  const int dx = points_between(x, block_bins_x);
  const int dy = points_between(y, block_bins_y);
  const int dz = points_between(z, block_bins_z);
  return dx * dx + dy * dy + dz * dz < cutoff_points * cutoff_points;
}

constexpr int most_rows = (2 * cutoff_bins + block_bins_y) * (2 * cutoff_bins + block_bins_z);
constexpr int most_neighbours = neighbours == Neighbours::computed  ? 1
                                : neighbours == Neighbours::pencils ? most_rows
                                                                    : most_rows * (2 * cutoff_bins + block_bins_x);

struct NeighbourList {
  int count = 0;
  Neighbour at[most_neighbours] = {};

  // A row of bins is near from `first` on as far as to the other side.
  __host__ __device__ constexpr void add_row(int y, int z) {
    int first = -cutoff_bins;
    while (first < 0 && !is_near(first, y, z)) ++first;
    if (!is_near(first, y, z)) return;
    const int last = block_bins_x - 1 - first;
    const int step = neighbours == Neighbours::pencils ? last - first + 1 : 1;
    for (int x = first; x <= last; x += step)
      at[count++] = {static_cast<signed char>(x), static_cast<signed char>(x + step - 1), static_cast<signed char>(y),
                     static_cast<signed char>(z)};
  }
};

__host__ __device__ constexpr NeighbourList make_list() {
  NeighbourList list;
  if constexpr (neighbours != Neighbours::computed) {
    for (int z = -cutoff_bins; z < block_bins_z + cutoff_bins; ++z)
      for (int y = -cutoff_bins; y < block_bins_y + cutoff_bins; ++y) list.add_row(y, z);
  }
  return list;
}

__constant__ const NeighbourList neighbour_list = make_list();
