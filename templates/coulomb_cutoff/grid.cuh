// The grid, its division into bins, and what one atom adds. Lengths are in angstrom; the grid's points lie half an
// angstrom apart, so that a point's coordinates are exact and bins begin at points.
#pragma once

constexpr float spacing = 0.5f;
constexpr int cutoff_points = 2 * CUTOFF;  // the cutoff distance and a bin's edge in points
constexpr int edge_points = 2 * BIN_EDGE;
constexpr float cutoff_squared = static_cast<float>(CUTOFF * CUTOFF);
constexpr float inverse_cutoff_squared = 1.0f / static_cast<float>(CUTOFF * CUTOFF);

struct Grid {
  int x;
  int y;
  int z;

  __device__ int bins(int points) const { return (points + edge_points - 1) / edge_points; }
  __device__ int all_bins() const { return bins(x) * bins(y) * bins(z); }
};

// Points (or bins) `first` to `last` of one axis, both included.
struct Range {
  int first;
  int last;

  __device__ int size() const { return last - first + 1; }
};

// The bins that hold atoms within the cutoff of some of these points.
__device__ inline Range bins_around(Range points, int grid_points) {
  const int low = points.first - cutoff_points;
  const int high = points.last + cutoff_points;
  return {(low > 0 ? low : 0) / edge_points, (high < grid_points ? high : grid_points - 1) / edge_points};
}

// How far a coordinate lies outside of these points, or the interval [low, high] does.
__device__ inline float outside(Range points, float low, float high) {
  const float before = spacing * static_cast<float>(points.first) - high;
  const float behind = low - spacing * static_cast<float>(points.last);
  return fmaxf(fmaxf(before, behind), 0.0f);
}

// The cuboid of a block's points.
struct Region {
  Range x;
  Range y;
  Range z;

  __device__ bool reached_by(float4 atom) const {
    const float dx = outside(x, atom.x, atom.x);
    const float dy = outside(y, atom.y, atom.y);
    const float dz = outside(z, atom.z, atom.z);
    return dx * dx + dy * dy + dz * dz < cutoff_squared;
  }

  __device__ bool reached_by_bin(int bin_x, int bin_y, int bin_z) const {
    const float dx = outside(x, BIN_EDGE * static_cast<float>(bin_x), BIN_EDGE * static_cast<float>(bin_x + 1));
    const float dy = outside(y, BIN_EDGE * static_cast<float>(bin_y), BIN_EDGE * static_cast<float>(bin_y + 1));
    const float dz = outside(z, BIN_EDGE * static_cast<float>(bin_z), BIN_EDGE * static_cast<float>(bin_z + 1));
    return dx * dx + dy * dy + dz * dz < cutoff_squared;
  }
};

// charge / r, made to reach zero at the cutoff without a step by (1 - (r / cutoff)^2)^2 (Rodrigues et al. 2008,
// equation 3, as CUTCP has it).
__device__ inline float shifted_potential(float charge, float distance_squared) {
  const float inside = 1.0f - distance_squared * inverse_cutoff_squared;
  if constexpr (skip_outside) {
    return inside > 0.0f ? charge * rsqrtf(distance_squared) * (inside * inside) : 0.0f;
  } else {
    const float clamped = fmaxf(inside, 0.0f);
    return charge * rsqrtf(distance_squared) * (clamped * clamped);
  }
}

// An atom with its coordinates in angstrom instead of shares of the grid's extents.
__device__ inline float4 located(float4 atom, Grid grid) {
  atom.x = __fmul_rn(atom.x, spacing * static_cast<float>(grid.x));
  atom.y = __fmul_rn(atom.y, spacing * static_cast<float>(grid.y));
  atom.z = __fmul_rn(atom.z, spacing * static_cast<float>(grid.z));
  return atom;
}

__device__ inline int bin_of(float4 atom, Grid grid) {
  const int x = min(static_cast<int>(atom.x / BIN_EDGE), grid.bins(grid.x) - 1);
  const int y = min(static_cast<int>(atom.y / BIN_EDGE), grid.bins(grid.y) - 1);
  const int z = min(static_cast<int>(atom.z / BIN_EDGE), grid.bins(grid.z) - 1);
  return (z * grid.bins(grid.y) + y) * grid.bins(grid.x) + x;
}

// Counts an atom, and returns how many its bin had before. From BIN_CAPACITY on there is no room.
__device__ inline int reserve_slot(int* counter) {
  if constexpr (bin_counter == BinCounter::read_first) {
    // Counters only grow: what was read may be old, which costs an addition and nothing else.
    if (*static_cast<volatile int*>(counter) >= BIN_CAPACITY) return BIN_CAPACITY;
  }
  const int slot = atomicAdd(counter, 1);
  if constexpr (bin_counter == BinCounter::decrement) {
    if (slot >= BIN_CAPACITY) atomicAdd(counter, -1);
  }
  return slot;
}
