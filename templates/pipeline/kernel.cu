// y = p(x) for each of many floats that begin and end in the host's memory: copies and arithmetic of about the same
// length, which can hide behind each other once the data is moved in parts. What is timed is all of it, from the first
// copy to the last.
//
//   CHUNKS       parts that the data is moved in: many hide more of the first copy in and the last copy out, for which
//                nothing else is there to run; few pay less often for the start of a copy and of a launch
//   STREAMS      chunks under way at once: with two a copy runs beside a launch, with three also beside the copy the
//                other way; more only help if a copy or a launch is late
//   ISSUE_ORDER  depth_first: queue all of a chunk, then the next; its stream uses one place on the device again and
//                again. breadth_first: queue all copies in, then all launches, then all copies out, which devices with
//                a single queue need; every chunk has a place of its own on the device. stages: a stream for each of
//                the three, and events between them
//   PINNED       page-locked memory, which the device copies by itself; from pageable memory the driver copies first,
//                the program waits for it meanwhile, and nothing overlaps
//   BLOCK_SIZE   threads per block
//   COARSENING   elements that a thread computes at once: as many independent chains of fused operations hide their
//                latency
//
// Sources: Sanders & Kandrot, "CUDA by Example" (2010), chapter 10, for depth and breadth; Kirk, Hwu & El Hajj,
// "Programming Massively Parallel Processors" (4th edition), chapter 20, for streams that overlap copies; Harris, "How
// to Optimize Data Transfers in CUDA C/C++" and "How to Overlap Data Transfers in CUDA C/C++" (NVIDIA developer blog,
// 2012), for pinned memory and chunks; the CUDA C++ Best Practices Guide, "Asynchronous and Overlapping Transfers with
// Computation".

// The same one for all threads of a warp at any time: what constant memory is for.
__constant__ float coefficients[1024];

// x, y: `count` floats each from element `first` on.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    evaluate(const float* __restrict__ x, float* __restrict__ y, long long first, long long count) {
  const long long begin = static_cast<long long>(blockIdx.x) * (BLOCK_SIZE * COARSENING) + threadIdx.x;
  float at[COARSENING], sum[COARSENING];
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const long long i = begin + item * BLOCK_SIZE;
    at[item] = i < count ? x[first + i] : 0.0f;
    sum[item] = coefficients[DEGREE];
  }
#pragma unroll 16
  for (int k = DEGREE - 1; k >= 0; --k) {
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) sum[item] = fmaf(sum[item], at[item], coefficients[k]);
  }
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const long long i = begin + item * BLOCK_SIZE;
    if (i < count) y[first + i] = sum[item];
  }
}
