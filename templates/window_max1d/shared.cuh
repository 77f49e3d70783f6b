// The algorithms that keep the block's part of the input, halo included, in shared memory. The parameters are described
// in kernel.cu.
#pragma once

enum class Algorithm { direct, tiled, doubling, van_herk };
enum class Boundary { limits, checks };
enum class Position { forward, centred };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Boundary boundary = Boundary::BOUNDARY;
constexpr int unroll = UNROLL;
constexpr int window = WINDOW_EXTENT;
// A window begins so far before its output.
constexpr int before = Position::POSITION == Position::centred ? (window - 1) / 2 : 0;
constexpr int outputs = BLOCK_SIZE * (algorithm == Algorithm::van_herk ? window : COARSENING);
constexpr int stored = outputs + window - 1;

// What lies outside never is the maximum.
__device__ inline float nothing() {
  return __int_as_float(0xff800000);  // minus infinity
}

__device__ inline float at(const float* input, long long i, long long size) {
  return i >= 0 && i < size ? input[i] : nothing();
}

__device__ inline long long first_output() {
  return static_cast<long long>(blockIdx.x) * outputs;
}

// Ends with a barrier.
__device__ inline void load_tile(float* tile, const float* input, long long size) {
  for (int i = static_cast<int>(threadIdx.x); i < stored; i += BLOCK_SIZE)
    tile[i] = at(input, first_output() - before + i, size);
  __syncthreads();
}

__device__ inline void max_in_tile(const float* input, float* output, float* tile, long long size) {
  load_tile(tile, input, size);
#pragma unroll
  for (int j = 0; j < COARSENING; ++j) {
    const int place = j * BLOCK_SIZE + static_cast<int>(threadIdx.x);
    float maximum = tile[place];
#pragma unroll(unroll)
    for (int i = 1; i < window; ++i) maximum = fmaxf(maximum, tile[place + i]);
    if (first_output() + place < size) output[first_output() + place] = maximum;
  }
}

// maxima[i] becomes the maximum of `width` values from i on, `width` the largest power of two within the window: two
// tiles take turns, so that no thread overwrites what another still reads.
__device__ inline void max_by_doubling(const float* input, float* output, float* tile, long long size) {
  load_tile(tile, input, size);
  float* maxima = tile;
  float* next = tile + stored;
  int width = 1;
  for (; 2 * width <= window; width *= 2) {
    for (int i = static_cast<int>(threadIdx.x); i < stored; i += BLOCK_SIZE)
      next[i] = fmaxf(maxima[i], maxima[min(i + width, stored - 1)]);
    __syncthreads();
    float* const done = maxima;
    maxima = next;
    next = done;
  }
#pragma unroll
  for (int j = 0; j < COARSENING; ++j) {
    const int place = j * BLOCK_SIZE + static_cast<int>(threadIdx.x);
    const float maximum = fmaxf(maxima[place], maxima[place + window - width]);
    if (first_output() + place < size) output[first_output() + place] = maximum;
  }
}

// A thread's first window is the first segment; each next one is a shorter suffix of it and a longer prefix of the
// second. Outputs go back to shared memory, so that neighbouring threads write neighbours.
__device__ inline void max_by_segments(const float* input, float* output, float* tile, long long size) {
  load_tile(tile, input, size);
  const float* own = tile + static_cast<int>(threadIdx.x) * window;
  float maxima[window];
  maxima[window - 1] = own[window - 1];
#pragma unroll
  for (int i = window - 2; i >= 0; --i) maxima[i] = fmaxf(own[i], maxima[i + 1]);
  float prefix = nothing();
#pragma unroll
  for (int i = 1; i < window; ++i) {
    prefix = fmaxf(prefix, own[window - 1 + i]);
    maxima[i] = fmaxf(maxima[i], prefix);
  }
  __syncthreads();  // the tile has been read
#pragma unroll
  for (int i = 0; i < window; ++i) tile[static_cast<int>(threadIdx.x) * window + i] = maxima[i];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < outputs; i += BLOCK_SIZE)
    if (first_output() + i < size) output[first_output() + i] = tile[i];
}
