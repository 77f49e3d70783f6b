// The gravitational acceleration of every body by all bodies (direct summation, softened): O(SIZE^2) arithmetic on
// O(SIZE) data.
//
//   BLOCK_SIZE     threads per block
//   COARSENING     bodies that a thread accelerates: each source it reads serves that many
//   SOURCES        where the pulling bodies come from: shared (tiles that the block stages), global (loads of the same
//                  address for a whole warp, through the cache), or shuffle (a warp loads 32 and hands them round)
//   PAIRS          twice: a body pulls, and is pulled elsewhere; once: by Newton's third law: the warp's sources take
//                  their sums round with them and add them to memory when they are back home
//   SPLIT_SOURCES  parts of the sources, each summed by blocks of their own and added atomically: fills the device when
//                  bodies are few
//   UNROLL         sources between two loop branches
//   ROOT           fast: the hardware's reciprocal square root; exact: divided by a correctly rounded one
//
// What an interaction costs: three differences, three FFMAs for the square, the root, three products and three FFMAs
// for the sum, 13 instructions; a multiprocessor issues 128 lanes of them per clock and counts 256 operations as its
// peak, so that the usual 20 operations end at 0.77 of it. A pair's other half costs one product and three FFMAs more:
// 17 instructions for two interactions, 7 shuffles for COARSENING of them, which ends at 1.1 of the peak.
//
// Sources: Nyland, Harris & Prins, "Fast N-Body Simulation with CUDA" (GPU Gems 3, ch. 31), also for 20 operations an
// interaction; Kirk & Hwu, "Programming Massively Parallel Processors", ch. 6 (coarsening); Páll & Hess, "A flexible
// algorithm for calculating pair interactions on SIMD architectures" (Comput. Phys. Commun., 2013) for pairs once.

#include <warptune/device/fast_math.cuh>

using warptune::device::fast_reciprocal_root;  // the softening is larger than any subnormal number

enum class Sources { shared, global, shuffle };
enum class Pairs { twice, once };
enum class Root { fast, exact };

constexpr Sources sources = Sources::SOURCES;
constexpr Pairs pairs = Pairs::PAIRS;
constexpr Root root = Root::ROOT;
constexpr int unroll = UNROLL;
constexpr int warp = 32;
constexpr unsigned whole_warp = 0xffffffffu;
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

__device__ inline float inverse_cube(float distance2) {
  const float inverse = root == Root::fast ? fast_reciprocal_root(distance2) : 1.0f / sqrtf(distance2);
  return inverse * (inverse * inverse);
}

__device__ inline void add_scaled(Acceleration& sum, float strength, const Acceleration& way) {
  sum.x += strength * way.x;
  sum.y += strength * way.y;
  sum.z += strength * way.z;
}

__device__ inline Acceleration way_to(float4 source, float4 body) {
  return {source.x - body.x, source.y - body.y, source.z - body.z};
}

__device__ inline float softened_square(const Acceleration& way) {
  return way.x * way.x + (way.y * way.y + (way.z * way.z + softening));
}

__device__ inline void pull(Acceleration& sum, float4 body, float4 source) {
  const Acceleration way = way_to(source, body);
  add_scaled(sum, source.w * inverse_cube(softened_square(way)), way);
}

// Both ways: the source is pulled as well.
__device__ inline void pull_each_other(Acceleration& sum, float4 body, Acceleration& source_sum, float4 source) {
  const Acceleration way = way_to(source, body);
  const float cube = inverse_cube(softened_square(way));
  add_scaled(sum, source.w * cube, way);
  add_scaled(source_sum, -body.w * cube, way);
}

__device__ inline void pull_all(Acceleration (&sums)[COARSENING], const float4 (&mine)[COARSENING], float4 source) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) pull(sums[i], mine[i], source);
}

// All of the block's threads call these, with the same range of sources.

__device__ inline void pull_from_shared(Acceleration (&sums)[COARSENING], const float4 (&mine)[COARSENING],
                                        const float4* bodies, int first, int end) {
  __shared__ float4 tile[BLOCK_SIZE];
  for (int start = first; start < end; start += BLOCK_SIZE) {
    tile[threadIdx.x] = body_at(bodies, start + static_cast<int>(threadIdx.x), end);
    __syncthreads();
    const int count = end - start < BLOCK_SIZE ? end - start : BLOCK_SIZE;
#pragma unroll unroll
    for (int i = 0; i < count; ++i) pull_all(sums, mine, tile[i]);
    __syncthreads();
  }
}

__device__ inline void pull_from_global(Acceleration (&sums)[COARSENING], const float4 (&mine)[COARSENING],
                                        const float4* __restrict__ bodies, int first, int end) {
#pragma unroll unroll
  for (int i = first; i < end; ++i) pull_all(sums, mine, bodies[i]);
}

__device__ inline void pull_from_shuffles(Acceleration (&sums)[COARSENING], const float4 (&mine)[COARSENING],
                                          const float4* bodies, int first, int end) {
  for (int start = first; start < end; start += warp) {
    const float4 own = body_at(bodies, start + static_cast<int>(threadIdx.x) % warp, end);
#pragma unroll unroll
    for (int lane = 0; lane < warp; ++lane) {
      const float4 source = make_float4(__shfl_sync(whole_warp, own.x, lane), __shfl_sync(whole_warp, own.y, lane),
                                        __shfl_sync(whole_warp, own.z, lane), __shfl_sync(whole_warp, own.w, lane));
      pull_all(sums, mine, source);
    }
  }
}

__device__ inline void add_to(float* accelerations, int body, const Acceleration& sum) {
  const float values[3] = {sum.x, sum.y, sum.z};
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    float* target = accelerations + 3 * static_cast<long long>(body) + i;
    if constexpr (SPLIT_SOURCES == 1 && pairs == Pairs::twice) {
      *target = values[i];
    } else {
      atomicAdd(target, values[i]);
    }
  }
}

// A body, and what the warp's bodies did to it so far.
struct Visitor {
  float4 body;
  Acceleration sum;
};

// Every lane's visitor goes to the lane below.
__device__ inline void pass_on(Visitor& visitor) {
  const int next = static_cast<int>(threadIdx.x) % warp + 1;  // modulo the warp
  visitor.body =
      make_float4(__shfl_sync(whole_warp, visitor.body.x, next), __shfl_sync(whole_warp, visitor.body.y, next),
                  __shfl_sync(whole_warp, visitor.body.z, next), __shfl_sync(whole_warp, visitor.body.w, next));
  visitor.sum = {__shfl_sync(whole_warp, visitor.sum.x, next), __shfl_sync(whole_warp, visitor.sum.y, next),
                 __shfl_sync(whole_warp, visitor.sum.z, next)};
}

// The warp's bodies and those of another tile pull each other.
__device__ inline void meet_tile(Acceleration (&sums)[COARSENING], const float4 (&mine)[COARSENING],
                                 const float4* bodies, float* accelerations, int first, int size) {
  for (int chunk = 0; chunk < COARSENING; ++chunk) {
    const int home = first + chunk * warp + static_cast<int>(threadIdx.x) % warp;
    Visitor visitor{body_at(bodies, home, size), {}};
#pragma unroll unroll
    for (int turn = 0; turn < warp; ++turn) {
#pragma unroll
      for (int i = 0; i < COARSENING; ++i) pull_each_other(sums[i], mine[i], visitor.sum, visitor.body);
      pass_on(visitor);
    }
    if (home < size) add_to(accelerations, home, visitor.sum);
  }
}

// Each warp has a tile of warp * COARSENING bodies, and the tiles lie in a circle. A warp meets the tiles ahead of its
// own up to half the circle, which gives all warps the same work; where that is an even number of tiles, only one of
// two that face each other meets the other.
__device__ inline void accelerate_pairs(const float4* bodies, float* accelerations, int size) {
  constexpr int tile_bodies = warp * COARSENING;
  const int tiles = (size - 1) / tile_bodies + 1;
  const int tile = static_cast<int>(blockIdx.x * (BLOCK_SIZE / warp) + threadIdx.x / warp);
  if (tile >= tiles) return;
  const int furthest = tiles % 2 == 0 && tile >= tiles / 2 ? tiles / 2 - 1 : tiles / 2;
  const int part = tiles / 2 / SPLIT_SOURCES + 1;
  const int nearest = static_cast<int>(blockIdx.y) * part;
  const int own = tile * tile_bodies + static_cast<int>(threadIdx.x) % warp;
  float4 mine[COARSENING];
  Acceleration sums[COARSENING] = {};
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) mine[i] = body_at(bodies, own + i * warp, size);
  if (nearest == 0) pull_from_shuffles(sums, mine, bodies, tile * tile_bodies, min((tile + 1) * tile_bodies, size));
  for (int ahead = max(nearest, 1); ahead <= min(furthest, nearest + part - 1); ++ahead) {
    meet_tile(sums, mine, bodies, accelerations, (tile + ahead) % tiles * tile_bodies, size);
  }
#pragma unroll
  for (int i = 0; i < COARSENING; ++i)
    if (own + i * warp < size) add_to(accelerations, own + i * warp, sums[i]);
}

__device__ inline void accelerate_own(const float4* __restrict__ bodies, float* accelerations, int size) {
  const int own = static_cast<int>(blockIdx.x) * (BLOCK_SIZE * COARSENING) + static_cast<int>(threadIdx.x);
  const int part = (size - 1) / SPLIT_SOURCES + 1;
  const int first = static_cast<int>(blockIdx.y) * part;
  const int end = first + part < size ? first + part : size;
  float4 mine[COARSENING];
  Acceleration sums[COARSENING] = {};
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) mine[i] = body_at(bodies, own + i * BLOCK_SIZE, size);
  if constexpr (sources == Sources::shared) {
    pull_from_shared(sums, mine, bodies, first, end);
  } else if constexpr (sources == Sources::global) {
    pull_from_global(sums, mine, bodies, first, end);
  } else {
    pull_from_shuffles(sums, mine, bodies, first, end);
  }
#pragma unroll
  for (int i = 0; i < COARSENING; ++i)
    if (own + i * BLOCK_SIZE < size) add_to(accelerations, own + i * BLOCK_SIZE, sums[i]);
}

// bodies: size times x, y, z, mass, aligned to 16 bytes; accelerations: size times 3, zero before if SPLIT_SOURCES > 1
// or pairs meet once. Grid: x counts groups of BLOCK_SIZE * COARSENING bodies, y parts of the sources.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    nbody(const float4* __restrict__ bodies, float* __restrict__ accelerations, int size) {
  if constexpr (pairs == Pairs::once) {
    accelerate_pairs(bodies, accelerations, size);
  } else {
    accelerate_own(bodies, accelerations, size);
  }
}
