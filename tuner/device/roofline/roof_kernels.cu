// Kernels that do nothing but reach a roof. Each thread has several independent loads or operations under way, and what
// they give is written only where it never is, so that no compiler leaves them out.
//
// On the host (WARPTUNE_ROOFS_ON_HOST) a block is one thread, and a thread's work lies in one piece: there, loops that a
// compiler makes vectors of are what a core reaches.

typedef unsigned long long u64;

#ifdef WARPTUNE_ROOFS_ON_HOST

constexpr int lanes = 64;

template <class T>
__device__ inline void chains(u64 rounds, T factor, T summand, T* sink) {
  T sums[lanes];
  for (int i = 0; i < lanes; ++i) sums[i] = (T)i;
  for (u64 round = 0; round < rounds; ++round)
    for (int i = 0; i < lanes; ++i) sums[i] = sums[i] * factor + summand;
  T sum = 0;
  for (int i = 0; i < lanes; ++i) sum += sums[i];
  if (sum == (T)-1) *sink = sum;
}
extern "C" __global__ void roof_fp32(u64 rounds, float factor, float summand, float* sink) {
  chains(rounds, factor, summand, sink);
}
extern "C" __global__ void roof_fp64(u64 rounds, float factor, float summand, float* sink) {
  double result = 0;
  chains(rounds, (double)factor, (double)summand, &result);
  if (result == -1) *sink = 0;
}

// Every block a piece of its own.
extern "C" __global__ void roof_read(const unsigned* from, u64 quads, u64 passes, unsigned* sink) {
  const u64 words = 4 * (quads / gridDim.x);
  const unsigned* mine = from + blockIdx.x * words;
  unsigned sums[lanes] = {};
  for (u64 pass = 0; pass < passes; ++pass)
    for (u64 i = 0; i + lanes <= words; i += lanes)
      for (int k = 0; k < lanes; ++k) sums[k] ^= mine[i + k];
  unsigned sum = 0;
  for (int k = 0; k < lanes; ++k) sum |= sums[k] + (unsigned)k;
  if (sum == 0x12345678u) *sink = sum;
}
extern "C" __global__ void roof_read_l2(const unsigned* from, u64 quads, u64 passes, unsigned* sink) {
  const u64 words = 4 * (quads / gridDim.x);
  const unsigned* mine = from + blockIdx.x * words;
  unsigned sums[lanes] = {};
  for (u64 pass = 0; pass < passes; ++pass) {
    for (u64 i = 0; i + lanes <= words; i += lanes)
      for (int k = 0; k < lanes; ++k) sums[k] ^= mine[i + k];
    asm volatile("" ::: "memory");
  }
  unsigned sum = 0;
  for (int k = 0; k < lanes; ++k) sum |= sums[k] + (unsigned)k;
  if (sum == 0x12345678u) *sink = sum;
}
extern "C" __global__ void roof_copy(const unsigned* from, unsigned* to, u64 quads) {
  const u64 words = 4 * (quads / gridDim.x);
  const unsigned* mine = from + blockIdx.x * words;
  unsigned* its = to + blockIdx.x * words;
  for (u64 i = 0; i < words; ++i) its[i] = mine[i];
}
// What a block shares is in a core's own cache.
extern "C" __global__ void roof_shared(u64 rounds, unsigned* sink) {
  __shared__ unsigned words[4096];
  for (unsigned i = 0; i < 4096; ++i) words[i] = i;
  unsigned sums[lanes] = {};
  for (u64 round = 0; round < rounds; ++round) {
    for (int i = 0; i < 4096; i += lanes)
      for (int k = 0; k < lanes; ++k) sums[k] ^= words[i + k];
    asm volatile("" ::: "memory");
  }
  unsigned sum = 0;
  for (int k = 0; k < lanes; ++k) sum |= sums[k] + (unsigned)k;
  if (sum == 0x12345678u) *sink = sum;
}

#else

constexpr int independent = 8;

template <class T>
__device__ inline T chains(u64 rounds, T factor, T summand) {
  T sums[independent];
#pragma unroll
  for (int i = 0; i < independent; ++i) sums[i] = (T)(threadIdx.x + i);
#pragma unroll 8
  for (unsigned round = 0; round < (unsigned)rounds; ++round) {
#pragma unroll
    for (int i = 0; i < independent; ++i) sums[i] = sums[i] * factor + summand;
  }
  T sum = 0;
#pragma unroll
  for (int i = 0; i < independent; ++i) sum += sums[i];
  return sum;
}
extern "C" __global__ void __launch_bounds__(512) roof_fp32(u64 rounds, float factor, float summand, float* sink) {
  const float sum = chains(rounds, factor, summand);
  if (sum == -1) *sink = sum;
}
extern "C" __global__ void __launch_bounds__(512) roof_fp64(u64 rounds, float factor, float summand, float* sink) {
  const double sum = chains(rounds, (double)factor, (double)summand);
  if (sum == -1) *sink = (float)sum;
}

__device__ inline void take(uint4& sums, const uint4& more) {
  sums.x ^= more.x, sums.y ^= more.y, sums.z ^= more.z, sums.w ^= more.w;
}
__device__ inline void keep(const uint4& sums, unsigned* sink) {
  if ((sums.x | sums.y | sums.z | sums.w) == 0x12345678u) *sink = sums.x;
}
__device__ inline u64 first_of_thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }

// 16 bytes a load, eight loads of a thread under way. `quads` is a multiple of what all threads take at once.
constexpr int under_way = 8;

extern "C" __global__ void __launch_bounds__(512) roof_read(const uint4* from, u64 quads, u64 passes, unsigned* sink) {
  const u64 step = (u64)gridDim.x * blockDim.x;
  uint4 sums = {0, 0, 0, 0};
  for (u64 pass = 0; pass < passes; ++pass)
    for (u64 i = first_of_thread(); i < quads; i += under_way * step) {
      uint4 loaded[under_way];
#pragma unroll
      for (int k = 0; k < under_way; ++k) loaded[k] = from[i + k * step];
#pragma unroll
      for (int k = 0; k < under_way; ++k) take(sums, loaded[k]);
    }
  keep(sums, sink);
}

// Past the L1, which would keep what a multiprocessor reads in each pass.
__device__ inline uint4 from_l2(const uint4* from) {
  uint4 loaded;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(loaded.x), "=r"(loaded.y), "=r"(loaded.z), "=r"(loaded.w)
               : "l"(from));
  return loaded;
}
extern "C" __global__ void __launch_bounds__(512)
    roof_read_l2(const uint4* from, u64 quads, u64 passes, unsigned* sink) {
  const u64 step = (u64)gridDim.x * blockDim.x;
  uint4 sums = {0, 0, 0, 0};
  for (u64 pass = 0; pass < passes; ++pass)
    for (u64 i = first_of_thread(); i < quads; i += under_way * step) {
      uint4 loaded[under_way];
#pragma unroll
      for (int k = 0; k < under_way; ++k) loaded[k] = from_l2(from + i + k * step);
#pragma unroll
      for (int k = 0; k < under_way; ++k) take(sums, loaded[k]);
    }
  keep(sums, sink);
}

extern "C" __global__ void __launch_bounds__(512) roof_copy(const uint4* from, uint4* to, u64 quads) {
  const u64 step = (u64)gridDim.x * blockDim.x;
  for (u64 i = first_of_thread(); i < quads; i += 4 * step) {
    uint4 loaded[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) loaded[k] = from[i + k * step];
#pragma unroll
    for (int k = 0; k < 4; ++k) to[i + k * step] = loaded[k];
  }
}

// 16 bytes a thread in a row, which no bank serves twice: 512 threads and four rows are 32 KiB.
constexpr int shared_rows = 4, shared_threads = 512;

extern "C" __global__ void __launch_bounds__(shared_threads) roof_shared(u64 rounds, unsigned* sink) {
  __shared__ uint4 rows[shared_rows * shared_threads];
  for (int i = (int)threadIdx.x; i < shared_rows * shared_threads; i += shared_threads)
    rows[i] = make_uint4((unsigned)i, 1, 2, 3);
  __syncthreads();
  const unsigned mine = (unsigned)__cvta_generic_to_shared(rows + threadIdx.x);
  uint4 sums = {0, 0, 0, 0};
#pragma unroll 4
  for (unsigned round = 0; round < (unsigned)rounds; ++round) {
    uint4 loaded[shared_rows];
#pragma unroll
    for (int k = 0; k < shared_rows; ++k)
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(loaded[k].x), "=r"(loaded[k].y), "=r"(loaded[k].z), "=r"(loaded[k].w)
                   : "r"(mine + (unsigned)(k * shared_threads * 16)));
#pragma unroll
    for (int k = 0; k < shared_rows; ++k) take(sums, loaded[k]);
  }
  keep(sums, sink);
}

#endif

#ifdef WARPTUNE_MMA
// mma.sync (compute capability 8.0 and later): 16 x 8 sums of a warp, several of them under way. One is what all factors
// are, in pairs of BF16 and in TF32.
constexpr int products = 8;

template <bool tf32>
__device__ inline void multiply(float (&sums)[4], unsigned ones) {
  if (tf32)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(ones));
  else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(ones));
}

template <bool tf32>
__device__ inline void multiply_on(u64 rounds, unsigned ones, float* sink) {
  float sums[products][4] = {};
#pragma unroll 2
  for (unsigned round = 0; round < (unsigned)rounds; ++round) {
#pragma unroll
    for (int i = 0; i < products; ++i) multiply<tf32>(sums[i], ones);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < products; ++i) sum += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
  if (sum == -1) *sink = sum;
}
extern "C" __global__ void __launch_bounds__(512) roof_mma_bf16(u64 rounds, unsigned ones, float* sink) {
  multiply_on<false>(rounds, ones, sink);
}
extern "C" __global__ void __launch_bounds__(512) roof_mma_tf32(u64 rounds, unsigned ones, float* sink) {
  multiply_on<true>(rounds, ones, sink);
}
#endif

#ifdef WARPTUNE_WGMMA
// wgmma (sm_90a alone): 64 x 128 sums of a warpgroup, both factors from shared memory, where pieces of 8 x 16 bytes lie
// one behind the other: 128 bytes to the next along K, 256 to the next along M or N.
#define SUMS_8(i)                                                                                             \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), "+f"(sums[i + 5]), \
      "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define SUMS_64 SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24), SUMS_8(32), SUMS_8(40), SUMS_8(48), SUMS_8(56)

// `bytes` of K are one step of an instruction: 32, as 16 BF16 or 8 TF32.
#define WGMMA(shape, type, more)                                                                              \
  asm volatile("wgmma.mma_async.sync.aligned.m64n128" shape ".f32." type "." type                              \
               " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "  \
               "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "    \
               "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "    \
               "%56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1" more ";"                           \
               : SUMS_64                                                                                      \
               : "l"(a), "l"(b)                                                                               \
               : "memory")

template <bool tf32>
__device__ inline void group_multiply_on(u64 rounds, unsigned ones, float* sink) {
  __shared__ alignas(128) unsigned factors[6144 / 4];  // 64 x 32 bytes of A, 128 x 32 of B
  for (int i = (int)threadIdx.x; i < 6144 / 4; i += (int)blockDim.x) factors[i] = ones;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const u64 start = (u64)(unsigned)__cvta_generic_to_shared(factors);
  const u64 layout = (128ull >> 4) << 16 | (256ull >> 4) << 32;
  const u64 a = layout | (start >> 4), b = layout | ((start + 2048) >> 4);
  float sums[64] = {};
  for (unsigned round = 0; round < (unsigned)rounds; ++round) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (tf32)
        WGMMA("k8", "tf32", "");
      else
        WGMMA("k16", "bf16", ", 0, 0");
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 64; ++i) sum += sums[i];
  if (sum == -1) *sink = sum;
}
extern "C" __global__ void __launch_bounds__(128) roof_wgmma_bf16(u64 rounds, unsigned ones, float* sink) {
  group_multiply_on<false>(rounds, ones, sink);
}
extern "C" __global__ void __launch_bounds__(128) roof_wgmma_tf32(u64 rounds, unsigned ones, float* sink) {
  group_multiply_on<true>(rounds, ones, sink);
}
#endif
