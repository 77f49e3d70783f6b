// Elements at even places become a polynomial of theirs, those at odd places another one. If neighbouring threads take
// neighbouring elements, half of each warp waits while the other half computes; there are ways around that.
//
//   ALGORITHM      branch: each thread asks which kind its element is, and the warp walks both ways; select: both are
//                  computed and one is kept; pairs: a thread takes an even element and the odd one behind it; split:
//                  whole warps take elements of one kind, and skip every other place in memory
//   BLOCK_SIZE     threads per block
//   COARSENING     elements (of pairs: pairs) per thread, all in flight at once
//   BLOCKS_PER_SM  0: a block for each chunk; else that many blocks per multiprocessor, which walk the chunks
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 4 (divergence); Harris, "Optimizing Parallel
// Reduction in CUDA" (NVIDIA, 2007) for rearranging work so that warps agree.

enum class Algorithm { branch, select, pairs, split };
constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr int chunk = BLOCK_SIZE * COARSENING * (algorithm == Algorithm::pairs ? 2 : 1);

// Horner's scheme, DEGREE multiplications with an addition each. The coefficients keep results below 2 for |x| <= 1.
__device__ inline float even_one(float x) {
  float result = 0.5f;
#pragma unroll
  for (int i = 0; i < DEGREE; ++i) result = fmaf(result, x, 0.5f);
  return result;
}
__device__ inline float odd_one(float x) {
  float result = -0.25f;
#pragma unroll
  for (int i = 0; i < DEGREE; ++i) result = fmaf(result, 0.5f * x, 0.75f);
  return result;
}

__device__ inline float either(float x, bool is_odd) {
  if constexpr (algorithm == Algorithm::select) {
    const float even = even_one(x);
    const float odd = odd_one(x);
    return is_odd ? odd : even;
  }
  if (is_odd) return odd_one(x);
  return even_one(x);
}

// Where a thread's item lies in a chunk. split: of 64 neighbouring elements one warp takes the even ones, the next the
// odd ones.
__device__ inline int place(int item) {
  const int thread = static_cast<int>(threadIdx.x) + item * BLOCK_SIZE;
  if constexpr (algorithm == Algorithm::split) return thread / 64 * 64 + thread % 32 * 2 + thread % 64 / 32;
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
    if (first + place(i) < size) output[first + place(i)] = either(items[i], place(i) % 2 == 1);
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
      *reinterpret_cast<float2*>(output + pair) = make_float2(even_one(items[i].x), odd_one(items[i].y));
    } else if (pair < size) {
      output[pair] = even_one(input[pair]);
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
