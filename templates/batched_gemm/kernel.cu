// C[i] = A[i] * B[i] for BATCH small matrices, row-major and packed one after the other: A[i] is m x k, B[i] k x n,
// each at most 64. Every size is known when this is compiled.
//
//   MATRICES      products that a block computes: their operands are consecutive in memory, and come to shared memory
//                 as a whole
//   COARSENING_M, COARSENING_N  the part of C per thread
//   VECTOR_WIDTH  floats that a load from memory moves, as far as the operands' lengths allow
//   PADDING       floats added to each row of A in shared memory, against bank conflicts
//   COPY          registers: loads and stores; async: asynchronous copies (cp.async)
//   UNROLL        elements along K between two branches, of 4 where rows of A are whole vectors
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers per thread
//
// Sources: Masliah et al., "High-performance matrix-matrix multiplications of very small matrices" (Euro-Par 2016), and
// Abdelfattah et al., "Performance, design, and autotuning of batched GEMM for GPUs" (ISC 2016).
#include "operands.cuh"

// A thread's part of one product: COARSENING_M rows, COARSENING_N columns.
struct Part {
  int row;
  int column;
};

using Sums = float[COARSENING_M][COARSENING_N];

// Deep elements along K. Rows of A are read as vectors along K, those of B along N.
template <int Deep>
__device__ inline void add_products(Sums& sums, const float* a, const float* b) {
  Pack<float, Deep> left[COARSENING_M];
#pragma unroll
  for (int i = 0; i < COARSENING_M; ++i) left[i] = *reinterpret_cast<const Pack<float, Deep>*>(a + i * a_pitch);
#pragma unroll
  for (int deep = 0; deep < Deep; ++deep) {
    float right[COARSENING_N];
#pragma unroll
    for (int j = 0; j < COARSENING_N; j += b_vector) {
      const auto read = *reinterpret_cast<const Pack<float, b_vector>*>(b + deep * b_pitch + j);
#pragma unroll
      for (int part = 0; part < b_vector; ++part) right[j + part] = read.at[part];
    }
#pragma unroll
    for (int i = 0; i < COARSENING_M; ++i) {
#pragma unroll
      for (int j = 0; j < COARSENING_N; ++j) sums[i][j] += left[i].at[deep] * right[j];
    }
  }
}

__device__ inline void multiply(Sums& sums, const float* a, const float* b, Part part) {
  constexpr int unroll = UNROLL;
  const float* left = a + part.row * a_pitch;
  const float* right = b + part.column;
#pragma unroll unroll
  for (int k = 0; k < SIZE_K; k += a_vector) add_products<a_vector>(sums, left + k, right + k * b_pitch);
}

// c: the product's first element.
__device__ inline void write(float* c, const Sums& sums, Part part) {
#pragma unroll
  for (int i = 0; i < COARSENING_M; ++i) {
    if (part.row + i >= SIZE_M) return;
    float* row = c + (part.row + i) * SIZE_N + part.column;
#pragma unroll
    for (int j = 0; j < COARSENING_N; j += c_vector) {
      if (part.column + j >= SIZE_N) break;
      Pack<float, c_vector> pack;
#pragma unroll
      for (int part_of_pack = 0; part_of_pack < c_vector; ++part_of_pack)
        pack.at[part_of_pack] = sums[i][j + part_of_pack];
      *reinterpret_cast<Pack<float, c_vector>*>(row + j) = pack;
    }
  }
}

// a, b, c: aligned to 16 bytes. A block for each MATRICES products; dynamic shared memory for their operands.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    batched_gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int batch) {
  extern __shared__ float4 shared_storage[];
  float* shared_a = reinterpret_cast<float*>(shared_storage);
  float* shared_b = shared_a + MATRICES * a_floats;
  const long long first = static_cast<long long>(blockIdx.x) * MATRICES;
  const int count = batch - first < MATRICES ? static_cast<int>(batch - first) : MATRICES;
  copy_operands<OperandA>(shared_a, a + first * (SIZE_M * SIZE_K), count);
  copy_operands<OperandB>(shared_b, b + first * (SIZE_K * SIZE_N), count);
  wait_for_operands();

  const int product = static_cast<int>(threadIdx.x) / threads_of_product;
  const int within = static_cast<int>(threadIdx.x) % threads_of_product;
  if (product >= count) return;
  const Part part{within / parts_across * COARSENING_M, within % parts_across * COARSENING_N};
  Sums sums = {};
  multiply(sums, shared_a + product * a_floats, shared_b + product * b_floats, part);
  write(c + (first + product) * (SIZE_M * SIZE_N), sums, part);
}
