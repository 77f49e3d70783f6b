// The gravitational acceleration of every body by all bodies (direct summation, softened): O(SIZE^2) arithmetic on
// O(SIZE) data.
//
//   BLOCK    threads a block
//   BODIES   bodies a thread accelerates: each source it reads serves that many (coarsening)
//   SOURCES  where the pulling bodies come from: shared (tiles that the block stages), cache (global loads, the same
//   address for
//            a whole warp), or lanes (a warp loads 32 and hands them round by shuffles)
//   SPLITS   parts of the sources, each summed by blocks of their own and added atomically: fills the device when
//   bodies are few UNROLL   sources between two loop branches ROOT     fast: the hardware's reciprocal square root;
//   exact: divided by a correctly rounded one
//
// Sources: Nyland, Harris & Prins, "Fast N-Body Simulation with CUDA" (GPU Gems 3, ch. 31), also for 20 operations an
// interaction; Kirk & Hwu, "Programming Massively Parallel Processors", ch. 6 (coarsening).

enum class Sources { shared, cache, lanes };
enum class Root { fast, exact };

constexpr Sources sources = Sources::SOURCES;
constexpr Root root = Root::ROOT;
constexpr int unroll = UNROLL;
constexpr float softening = 0.01f;

struct Acceleration {
  float x;
  float y;
  float z;
};

// Position and mass; none beyond the end.
__device__ inline float4 body_at(const float4* bodies, int i, int end) {
  return i < end ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

__device__ inline void pull(Acceleration& sum, float4 body, float4 source) {
  const float x = source.x - body.x;
  const float y = source.y - body.y;
  const float z = source.z - body.z;
  const float distance2 = x * x + (y * y + (z * z + softening));
  const float inverse = root == Root::fast ? rsqrtf(distance2) : 1.0f / sqrtf(distance2);
  const float strength = source.w * inverse * (inverse * inverse);
  sum.x += strength * x;
  sum.y += strength * y;
  sum.z += strength * z;
}

__device__ inline void pull_all(Acceleration (&sums)[BODIES], const float4 (&mine)[BODIES], float4 source) {
#pragma unroll
  for (int i = 0; i < BODIES; ++i) pull(sums[i], mine[i], source);
}

// All of the block's threads call these, with the same range of sources.

__device__ inline void pull_from_shared(Acceleration (&sums)[BODIES], const float4 (&mine)[BODIES],
                                        const float4* bodies, int first, int end) {
  __shared__ float4 tile[BLOCK];
  for (int start = first; start < end; start += BLOCK) {
    tile[threadIdx.x] = body_at(bodies, start + static_cast<int>(threadIdx.x), end);
    __syncthreads();
    const int count = end - start < BLOCK ? end - start : BLOCK;
#pragma unroll unroll
    for (int i = 0; i < count; ++i) pull_all(sums, mine, tile[i]);
    __syncthreads();
  }
}

__device__ inline void pull_from_cache(Acceleration (&sums)[BODIES], const float4 (&mine)[BODIES],
                                       const float4* __restrict__ bodies, int first, int end) {
#pragma unroll unroll
  for (int i = first; i < end; ++i) pull_all(sums, mine, bodies[i]);
}

__device__ inline void pull_from_lanes(Acceleration (&sums)[BODIES], const float4 (&mine)[BODIES], const float4* bodies,
                                       int first, int end) {
  constexpr unsigned warp = 0xffffffffu;
  for (int start = first; start < end; start += 32) {
    const float4 own = body_at(bodies, start + static_cast<int>(threadIdx.x) % 32, end);
#pragma unroll unroll
    for (int lane = 0; lane < 32; ++lane) {
      const float4 source = make_float4(__shfl_sync(warp, own.x, lane), __shfl_sync(warp, own.y, lane),
                                        __shfl_sync(warp, own.z, lane), __shfl_sync(warp, own.w, lane));
      pull_all(sums, mine, source);
    }
  }
}

__device__ inline void add_to(float* accelerations, int body, const Acceleration& sum) {
  const float values[3] = {sum.x, sum.y, sum.z};
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    float* target = accelerations + 3 * static_cast<long long>(body) + i;
    if constexpr (SPLITS == 1) {
      *target = values[i];
    } else {
      atomicAdd(target, values[i]);
    }
  }
}

// bodies: size times x, y, z, mass, aligned to 16 bytes; accelerations: size times 3, zero before if SPLITS > 1. Grid:
// x counts groups of BLOCK * BODIES bodies, y parts of the sources.
extern "C" __global__ void __launch_bounds__(BLOCK)
    nbody(const float4* __restrict__ bodies, float* __restrict__ accelerations, int size) {
  const int own = static_cast<int>(blockIdx.x) * (BLOCK * BODIES) + static_cast<int>(threadIdx.x);
  const int part = (size - 1) / SPLITS + 1;
  const int first = static_cast<int>(blockIdx.y) * part;
  const int end = first + part < size ? first + part : size;
  float4 mine[BODIES];
  Acceleration sums[BODIES] = {};
#pragma unroll
  for (int i = 0; i < BODIES; ++i) mine[i] = body_at(bodies, own + i * BLOCK, size);
  if constexpr (sources == Sources::shared) {
    pull_from_shared(sums, mine, bodies, first, end);
  } else if constexpr (sources == Sources::cache) {
    pull_from_cache(sums, mine, bodies, first, end);
  } else {
    pull_from_lanes(sums, mine, bodies, first, end);
  }
#pragma unroll
  for (int i = 0; i < BODIES; ++i)
    if (own + i * BLOCK < size) add_to(accelerations, own + i * BLOCK, sums[i]);
}
