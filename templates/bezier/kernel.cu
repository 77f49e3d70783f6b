// Quadratic Bezier curves as polylines, each of as many points as its curvature needs: work that is known only when the
// kernel runs, and that differs from curve to curve by a factor of a hundred.
//
//   ALGORITHM         thread: a thread per curve, whatever its length. block: a block per curve, also for the shortest.
//                     launch: a thread per curve, which launches a grid for it if it has at least THRESHOLD points
//   BLOCK_SIZE        threads per block of the first launch
//   CHILD_BLOCK_SIZE  threads per block of a curve's own grid: few leave less of the last block idle, many need fewer
//                     blocks
//   THRESHOLD         points from which on a launch of some microseconds is worth its while
//   STREAM            null_stream: the grids of one block's threads run one after the other, in its default stream.
//                     fire_and_forget: each as soon as there is room
//   MEMORY            where a child grid writes its curve's points: slots: to the curve's slot in the output, which has
//                     room for the longest curve; heap: to memory that the launching thread allocates for as many points
//                     as there are; a second kernel copies them to the slot and frees the memory
//
// The device keeps room for 2048 launches that wait (cudaLimitDevRuntimePendingLaunchCount). One too many fails, and is
// then the thread's own work. The device's heap has 8 MB unless the program asks for more (cudaLimitMallocHeapSize).
// Curves that find no room there go to their slots.
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", the chapter on dynamic parallelism (Bezier curves);
// the CUDA C++ Programming Guide, "CUDA Dynamic Parallelism" (version 2, of CUDA 12: no waiting for children in the
// kernel, and streams that are named instead); Wang, "Some subdivision properties of Bezier curves" (1984), for the
// number of points.

enum class Algorithm { thread, block, launch };
enum class Stream { null_stream, fire_and_forget };
enum class Memory { slots, heap };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Stream stream_kind = Stream::STREAM;
constexpr Memory memory = Memory::MEMORY;

struct Curve {
  float x[3], y[3];
  int segments;
};

// The smallest n of n^4 * 16 >= (QUALITY * |p0 - 2 p1 + p2|)^2: then no chord is further than 1 / QUALITY from the
// curve. In integers, so that no rounding decides about a point.
__device__ inline int segments_of(long long dx, long long dy) {
  const long long bound = (dx * dx + dy * dy) * QUALITY * QUALITY;
  long long n = static_cast<long long>(sqrtf(sqrtf(static_cast<float>(bound) / 16.0f)));
  while (n > 1 && 16 * (n - 1) * (n - 1) * (n - 1) * (n - 1) >= bound) --n;
  while (16 * n * n * n * n < bound) ++n;
  return n < 1 ? 1 : static_cast<int>(n);
}

// corners: three points (x, y) of 0 to 1023 a curve; shifts: how often it is halved in size.
__device__ inline Curve read_curve(const int* __restrict__ corners, const int* __restrict__ shifts, long long index) {
  int x[3], y[3];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    x[i] = corners[index * 6 + 2 * i] >> shifts[index];
    y[i] = corners[index * 6 + 2 * i + 1] >> shifts[index];
  }
  Curve curve;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    curve.x[i] = static_cast<float>(x[i]);
    curve.y[i] = static_cast<float>(y[i]);
  }
  curve.segments = segments_of(x[0] - 2 * x[1] + x[2], y[0] - 2 * y[1] + y[2]);
  return curve;
}

// points: the curve's own.
__device__ inline void write_point(const Curve& curve, int i, float2* points) {
  const float t = static_cast<float>(i) / static_cast<float>(curve.segments);
  const float s = 1.0f - t;
  const float a = s * s, b = 2.0f * s * t, c = t * t;
  points[i] =
      make_float2(a * curve.x[0] + b * curve.x[1] + c * curve.x[2], a * curve.y[0] + b * curve.y[1] + c * curve.y[2]);
}

__global__ void __launch_bounds__(CHILD_BLOCK_SIZE) one_curve(Curve curve, float2* points) {
  const int i = blockIdx.x * CHILD_BLOCK_SIZE + threadIdx.x;
  if (i <= curve.segments) write_point(curve, i, points);
}

// Whether there was room for the launch.
__device__ inline bool launch_curve(const Curve& curve, float2* points) {
  const int blocks = curve.segments / CHILD_BLOCK_SIZE + 1;
  if constexpr (stream_kind == Stream::fire_and_forget) {
    one_curve<<<blocks, CHILD_BLOCK_SIZE, 0, cudaStreamFireAndForget>>>(curve, points);
  } else {
    one_curve<<<blocks, CHILD_BLOCK_SIZE>>>(curve, points);
  }
  return cudaGetLastError() == cudaSuccess;
}

// Where a launched curve's points go: to memory of its own if the heap has room, else to its slot.
__device__ inline float2* memory_for(const Curve& curve, float2* slot, float2** allocated) {
  if constexpr (memory == Memory::slots) return slot;
  *allocated = static_cast<float2*>(malloc((curve.segments + 1) * sizeof(float2)));
  return *allocated == nullptr ? slot : *allocated;
}

// points: `most` of two floats for each curve, of which its first segments + 1 are written; counts: how many these are.
// allocated: if there is a heap, each curve's memory, or null if its points are in their slot.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    tessellate(const int* __restrict__ corners, const int* __restrict__ shifts, float2* __restrict__ points,
               int* __restrict__ counts, float2** __restrict__ allocated, long long curves, int most) {
  constexpr bool together = algorithm == Algorithm::block;
  const long long index =
      together ? static_cast<long long>(blockIdx.x) : static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
  if (index >= curves) return;
  const Curve curve = read_curve(corners, shifts, index);
  float2* const own = points + index * most;
  if (!together || threadIdx.x == 0) counts[index] = curve.segments + 1;
  if constexpr (algorithm == Algorithm::launch) {
    if constexpr (memory == Memory::heap) allocated[index] = nullptr;
    if (curve.segments + 1 >= THRESHOLD) {
      float2* const target = memory_for(curve, own, allocated + index);
      if (launch_curve(curve, target)) return;
      for (int i = 0; i <= curve.segments; ++i) write_point(curve, i, target);
      return;
    }
  }
  for (int i = together ? threadIdx.x : 0; i <= curve.segments; i += together ? BLOCK_SIZE : 1)
    write_point(curve, i, own);
}

// A block per curve copies what was allocated to the curve's slot, and frees it.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    collect_points(float2* __restrict__ points, const int* __restrict__ counts, float2** __restrict__ allocated,
                   int most) {
  float2* const from = allocated[blockIdx.x];
  if (from == nullptr) return;
  float2* const slot = points + static_cast<long long>(blockIdx.x) * most;
  for (int i = threadIdx.x; i < counts[blockIdx.x]; i += BLOCK_SIZE) slot[i] = from[i];
  __syncthreads();
  if (threadIdx.x == 0) free(from);
}
