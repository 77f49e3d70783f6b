// Elements at even places become a polynomial of theirs, those at odd places another one. If neighbouring threads take
// neighbouring elements, half of each warp waits while the other half computes; there are ways around that. Loops
// diverge too (TRIPS, of the problem): with divergent ones the polynomial's degree depends on the element's place, and
// a warp goes round until its last thread has finished.
//
//   ALGORITHM      branch: each thread asks which kind its element is, and the warp walks both ways; select: both are
//                  computed and one is kept; pairs: a thread takes an even element and the odd one behind it; split:
//                  whole warps take elements of one kind (and degree), and skip the places between; two_kernels: one
//                  launch for the even elements, another for the odd ones, each with every other place in memory
//   BLOCK_SIZE     threads per block
//   COARSENING     elements (of pairs: pairs) per thread, all in flight at once
//   BLOCKS_PER_SM  0: a block for each chunk; else that many blocks per multiprocessor, which walk the chunks
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 4 (divergence); Harris, "Optimizing Parallel
// Reduction in CUDA" (NVIDIA, 2007) for rearranging work so that warps agree.

enum class Algorithm { branch, select, pairs, split, two_kernels };
constexpr Algorithm algorithm = Algorithm::ALGORITHM;
enum class Trips { equal, divergent };
constexpr bool divergent = Trips::TRIPS == Trips::divergent;
constexpr int period = divergent ? 16 : 2;  // elements so far apart are treated alike
constexpr int chunk = BLOCK_SIZE * COARSENING * (algorithm == Algorithm::pairs ? 2 : 1);

// The degree of the polynomial for the element at this place: DEGREE, or between DEGREE / 16 and DEGREE.
__device__ inline int trips_at(long long place) {
  return divergent ? DEGREE * (1 + static_cast<int>(place % period)) / period : DEGREE;
}

// Horner's scheme, a multiplication and an addition per trip. The coefficients keep results below 2 for |x| <= 1.
__device__ inline float even_one(float x, int trips) {
  float result = 0.5f;
#pragma unroll
  for (int i = 0; i < trips; ++i) result = fmaf(result, x, 0.5f);
  return result;
}
__device__ inline float odd_one(float x, int trips) {
  float result = -0.25f;
#pragma unroll
  for (int i = 0; i < trips; ++i) result = fmaf(result, 0.5f * x, 0.75f);
  return result;
}

// The compiler sees that both polynomials are computed alike, and would make the branch a choice of coefficients. It
// cannot see through this, so the branch stays one, as it would for two functions that have less in common.
__device__ inline float as_it_is(float x) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+f"(x));
#endif
  return x;
}

__device__ inline float either(float x, int place) {
  const bool is_odd = place % 2 == 1;
  const int trips = trips_at(place);
  if constexpr (algorithm == Algorithm::select) {
    const float even = even_one(x, trips);
    const float odd = odd_one(x, trips);
    return is_odd ? odd : even;
  }
  if (is_odd) return as_it_is(odd_one(x, trips));
  return even_one(x, trips);
}

// Where a thread's item lies in a chunk. split: of 32 * period neighbouring elements each warp takes those that are
// treated alike.
__device__ inline int place(int item) {
  const int thread = static_cast<int>(threadIdx.x) + item * BLOCK_SIZE;
  constexpr int group = 32 * period;
  if constexpr (algorithm == Algorithm::split) {
    return thread / group * group + thread % 32 * period + thread % group / 32;
  }
  return thread;
}

__device__ inline void map_elements(const float* input, float* output, long long first, long long size) {
  float items[COARSENING];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    if (first + place(i) < size) items[i] = input[first + place(i)];
  }
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    if (first + place(i) < size) output[first + place(i)] = either(items[i], place(i));
  }
}

// A chunk begins at an even place, aligned for pairs.
__device__ inline void map_pairs(const float* input, float* output, long long first, long long size) {
  float2 items[COARSENING];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const long long pair = first + 2 * place(i);
    if (pair + 1 < size) items[i] = *reinterpret_cast<const float2*>(input + pair);
  }
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const long long pair = first + 2 * place(i);
    if (pair + 1 < size) {
      *reinterpret_cast<float2*>(output + pair) =
          make_float2(even_one(items[i].x, trips_at(pair)), odd_one(items[i].y, trips_at(pair + 1)));
    } else if (pair < size) {
      output[pair] = even_one(input[pair], trips_at(pair));
    }
  }
}

// input, output: `size` floats each, aligned to 8 bytes.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    even_odd(const float* __restrict__ input, float* __restrict__ output, long long size) {
  long long first = static_cast<long long>(blockIdx.x) * chunk;
  do {
    if constexpr (algorithm == Algorithm::pairs) {
      map_pairs(input, output, first, size);
    } else {
      map_elements(input, output, first, size);
    }
    first += static_cast<long long>(gridDim.x) * chunk;
  } while (BLOCKS_PER_SM > 0 && first < size);
}

// Of two kernels, each for its own kind: COARSENING elements per thread, every other one of the array. No warp
// diverges, but half of each memory transaction is for the other kernel.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    even_elements(const float* __restrict__ input, float* __restrict__ output, long long size) {
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const long long thread = (static_cast<long long>(blockIdx.x) * COARSENING + item) * BLOCK_SIZE + threadIdx.x;
    const long long i = 2 * thread;
    if (i < size) output[i] = even_one(input[i], trips_at(i));
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    odd_elements(const float* __restrict__ input, float* __restrict__ output, long long size) {
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const long long thread = (static_cast<long long>(blockIdx.x) * COARSENING + item) * BLOCK_SIZE + threadIdx.x;
    const long long i = 2 * thread + 1;
    if (i < size) output[i] = odd_one(input[i], trips_at(i));
  }
}
