// The volume and the maximum over a run of values. The parameters are described in kernel.cu.
#pragma once

enum class Algorithm { direct, tiled, separable, marching };
enum class AxisAlgorithm { direct, van_herk };
enum class Position { centred, forward };
enum class Boundary { checks, limits };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr AxisAlgorithm axis_algorithm = AxisAlgorithm::AXIS_ALGORITHM;
constexpr Boundary boundary = Boundary::BOUNDARY;
constexpr int span = WINDOW_EXTENT;
// A window begins so far before its output, and ends so far behind it.
constexpr int before = Position::POSITION == Position::centred ? (span - 1) / 2 : 0;
constexpr int after = span - 1 - before;
constexpr int halo = span - 1;  // of a tile, both sides together
constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y;

// What lies outside never is the maximum.
__device__ inline float nothing() {
  return __int_as_float(0xff800000);  // minus infinity
}

struct Volume {
  const float* values;
  int depth;
  int height;
  int width;

  __device__ bool holds(int z, int y, int x) const {
    return z >= 0 && z < depth && y >= 0 && y < height && x >= 0 && x < width;
  }
  __device__ long long place(int z, int y, int x) const { return (static_cast<long long>(z) * height + y) * width + x; }
  __device__ float at(int z, int y, int x) const { return holds(z, y, x) ? __ldg(values + place(z, y, x)) : nothing(); }
};

__device__ inline int thread_in_block() {
  return static_cast<int>(threadIdx.y * BLOCK_DIM_X + threadIdx.x);
}

// Turns values into the maxima of those from each one on to the last.
__device__ inline void to_suffixes(float (&values)[span]) {
#pragma unroll
  for (int i = span - 2; i >= 0; --i) values[i] = fmaxf(values[i], values[i + 1]);
}

// The maxima of the `span` windows of values. direct: every window for itself. van_herk: two neighbouring segments'
// suffixes and prefixes, three comparisons a window, however wide.
__device__ inline void slide(float (&values)[2 * span - 1], float (&maxima)[span]) {
  if constexpr (axis_algorithm == AxisAlgorithm::direct) {
#pragma unroll
    for (int i = 0; i < span; ++i) {
      maxima[i] = values[i];
#pragma unroll
      for (int j = 1; j < span; ++j) maxima[i] = fmaxf(maxima[i], values[i + j]);
    }
  } else {
    float prefix = nothing();
#pragma unroll
    for (int i = 0; i < span; ++i) maxima[i] = values[i];
    to_suffixes(maxima);
#pragma unroll
    for (int i = 1; i < span; ++i) {
      prefix = fmaxf(prefix, values[span - 1 + i]);
      maxima[i] = fmaxf(maxima[i], prefix);
    }
  }
}
