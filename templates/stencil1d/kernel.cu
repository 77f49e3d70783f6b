// output[i] = the weighted sum of input[i - r] … input[i + r]; beyond the ends are zeros. Every input serves 2r + 1
// outputs; the question is where it is kept meanwhile.
//
//   BLOCK_SIZE  threads per block
//   COARSENING  neighbouring outputs per thread: one window of registers slides over them
//   SOURCE      where a thread's inputs come from: cache: straight from global memory; shared: the block copies its
//               part and the halo on both sides to shared memory, neighbours together
//   PADDING     words that shared memory leaves free behind each 32, so that threads COARSENING words apart meet
//               different banks
//   WEIGHTS     constant: in constant memory, one broadcast each; registers: each thread reads them first and keeps
//               them
//   STORE       direct: a thread writes its own outputs; staged: through shared memory, neighbours together
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 7 and 8; Harris, "Using Shared Memory in CUDA
// C/C++" (NVIDIA developer blog, 2013); Micikevicius, "3D Finite Difference Computation on GPUs Using CUDA" (GPGPU-2,
// 2009) for the register window.

enum class Source { cache, shared };
enum class Weights { constant, registers };
enum class Store { direct, staged };

constexpr Source source_kind = Source::SOURCE;
constexpr Weights weights_in = Weights::WEIGHTS;
constexpr Store store_kind = Store::STORE;
constexpr int radius = STENCIL_RADIUS;
constexpr int taps = 2 * radius + 1;
constexpr int tile_size = BLOCK_SIZE * COARSENING;
constexpr int banks = 32;

__constant__ float constant_weights[taps];

__device__ inline int place(int i) {
  return i + i / banks * PADDING;
}

__device__ inline float at(const float* input, long long i, long long size) {
  return i >= 0 && i < size ? input[i] : 0.0f;
}

// The thread's inputs, from `radius` before its first output to `radius` behind its last.
__device__ inline void load_window(float (&window)[COARSENING + 2 * radius], const float* input, float* tile,
                                   long long first, long long size) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (source_kind == Source::shared) {
    for (int i = thread; i < tile_size + 2 * radius; i += BLOCK_SIZE)
      tile[place(i)] = at(input, first - radius + i, size);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < COARSENING + 2 * radius; ++i) window[i] = tile[place(thread * COARSENING + i)];
  } else {
#pragma unroll
    for (int i = 0; i < COARSENING + 2 * radius; ++i)
      window[i] = at(input, first - radius + thread * COARSENING + i, size);
  }
}

__device__ inline void store_sums(const float (&sums)[COARSENING], float* output, float* tile, long long first,
                                  long long size) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (store_kind == Store::staged) {
    __syncthreads();  // the tile's inputs have been read
#pragma unroll
    for (int i = 0; i < COARSENING; ++i) tile[place(thread * COARSENING + i)] = sums[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < COARSENING; ++i) {
      const int index = i * BLOCK_SIZE + thread;
      if (first + index < size) output[first + index] = tile[place(index)];
    }
  } else {
#pragma unroll
    for (int i = 0; i < COARSENING; ++i) {
      const long long index = first + thread * COARSENING + i;
      if (index < size) output[index] = sums[i];
    }
  }
}

// input, output: `size` floats; weights: `taps`, and in constant_weights the same. Dynamic shared memory: a tile with
// its halo, if anything passes through it.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    stencil1d(const float* __restrict__ input, float* __restrict__ output, const float* __restrict__ weights,
              long long size) {
  extern __shared__ float tile[];
  const long long first = static_cast<long long>(blockIdx.x) * tile_size;
  float own_weights[taps];
#pragma unroll
  for (int i = 0; i < taps; ++i) own_weights[i] = weights_in == Weights::constant ? constant_weights[i] : weights[i];
  float window[COARSENING + 2 * radius];
  load_window(window, input, tile, first, size);
  float sums[COARSENING] = {};
#pragma unroll
  for (int tap = 0; tap < taps; ++tap) {
#pragma unroll
    for (int i = 0; i < COARSENING; ++i) sums[i] += own_weights[tap] * window[i + tap];
  }
  store_sums(sums, output, tile, first, size);
}
