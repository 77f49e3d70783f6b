// Dependent launches in turns: squares, then their sums over a window. Each begins with work that needs nothing of the
// launch before it, which is what a programmatic launch can do early.
//   OVERLAP     1: each but a run's first is launched programmatically
//   CARVEOUT    percent of the memory that L1 and shared memory share, as shared memory; -1: the driver's choice
//   BLOCK_SIZE  threads of a block
#include <warptune/device/dependent_launch.cuh>

// Some tenths of a microsecond of arithmetic that depends on the index alone.
__device__ inline float weight(int i) {
  float w = static_cast<float>(i % 17) * 0.05f;
  for (int k = 0; k < 64; ++k) w = w * 0.5f + 0.25f;
  return w;
}

extern "C" __global__ void square(const float* x, float* squares, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float w = weight(i);
  warptune::device::wait_for_previous_launch();
  if (i < n) squares[i] = x[i] * x[i] * w;
  warptune::device::let_next_launch_begin();
}

extern "C" __global__ void window(const float* squares, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float w = weight(i);
  warptune::device::wait_for_previous_launch();
  if (i < n) {
    float sum = 0;
    for (int k = -4; k <= 4; ++k)
      if (i + k >= 0 && i + k < n) sum += squares[i + k];
    y[i] = sum * w;
  }
  warptune::device::let_next_launch_begin();
}
