// One step of the 5-point stencil: output = centre * point + side * (its four neighbours' sum) inside, and on the
// border a copy of the input. Nine of ten bytes of the naive kernel's reads are repeats; the question is where they are
// kept.
//
//   ALGORITHM     marching: a thread walks down its rows with its points in registers; tiled: a thread per point, with
//                 the block's tile and its halo in shared memory; in_place: such tiles in a grid that is input and
//                 output at once, with a barrier of the whole grid between reading and overwriting
//   BLOCK_DIM_X, BLOCK_DIM_Y  threads per block
//   VECTOR_WIDTH  neighbouring columns per thread, and floats moved by one access
//   COARSENING_Y  rows per thread, which walks down; above, point and below stay in registers meanwhile
//   NEIGHBOURS    the columns left and right of a thread's own: cache: read again, from the L1 cache; shuffle: from the
//                 neighbouring threads of the warp; shared: through a row in shared memory
//   PREFETCH      is the row after the next one read a step ahead
//   CACHE_HINT    of the stores: plain; streaming: the output is not read again
//
// Sources: Micikevicius, "3D Finite Difference Computation on GPUs Using CUDA" (GPGPU-2, 2009) for walking with a queue
// of registers; Holewinski, Pouchet & Sadayappan, "High-Performance Code Generation for Stencil Computations on GPU
// Architectures" (ICS 2012); Chen et al., "A Versatile Software Systolic Execution Model for GPU Memory-Bound Kernels"
// (SC 2019) for shuffles.

#include "in_place.cuh"
#include "marching.cuh"

// input, output: height * width floats, row-major, aligned to 16 bytes. A block computes BLOCK_DIM_X * VECTOR_WIDTH
// columns and BLOCK_DIM_Y * COARSENING_Y rows.
extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y)
    stencil2d(const float* __restrict__ input, float* __restrict__ output, float centre, float side, int height,
              int width) {
  const Grid grid{input, height, width, width % VECTOR_WIDTH == 0};
  if constexpr (algorithm == Algorithm::tiled) {
    step_by_tiles(grid, output, {centre, side});
  } else {
    step_by_marching(grid, output, {centre, side});
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y)
    copy_points(const float* __restrict__ input, float* __restrict__ output, int height, int width) {
  const long long i = static_cast<long long>(blockIdx.x) * (BLOCK_DIM_X * BLOCK_DIM_Y) + threadIdx.x;
  if (i < static_cast<long long>(height) * width) output[i] = input[i];
}

// points: input and output at once. saved: two rows of the grid for each block. arrived: zero. All blocks must run at
// once.
extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y)
    stencil2d_in_place(float* points, float* saved, unsigned* arrived, float centre, float side, int height,
                       int width) {
  if constexpr (algorithm == Algorithm::in_place)
    step_in_place({points, height, width, false}, points, saved, arrived, {centre, side});
}
