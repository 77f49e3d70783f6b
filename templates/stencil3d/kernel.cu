// STEPS steps of the 7-point stencil: output = centre * point + side * (its six neighbours' sum) inside, and on the
// border a copy of the input. x lies along rows, y across them, z across planes; the far neighbours are those along z.
//
//   BLOCK_DIM_X, BLOCK_DIM_Y  threads per block, in a plane
//   VECTOR_WIDTH    neighbouring points along x per thread, and floats moved by one access
//   COARSENING_Y    rows of a plane per thread: it finds their neighbours along y in its own registers
//   COARSENING_Z    planes that a block marches through; behind, point and ahead stay in registers meanwhile
//   PLANE           a plane's neighbours: cache: read again, from the L1 cache; shared: from the plane in shared memory
//   STEPS_PER_PASS  steps that a pass through memory takes (temporal blocking): a plane's next levels stay in registers
//                   and shared memory, for overlapping tiles
//   PREFETCH        is the plane after the next one read a step ahead
//   CACHE_HINT      of the stores: plain; streaming: the output is not read again
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers per thread
//
// Sources: Micikevicius, "3D Finite Difference Computation on GPUs Using CUDA" (GPGPU-2, 2009) for marching along z
// with a queue of registers and the plane in shared memory; Nguyen et al., "3.5-D Blocking Optimization for Stencil
// Computations on Modern CPUs and GPUs" (SC 2010); Kirk & Hwu, "Programming Massively Parallel Processors", ch. 8.

#include "temporal.cuh"

// One step: a block computes tile_x * tile_y points of COARSENING_Z planes.
__device__ inline void take_step(const Grid& grid, float* output, Weights weights) {
  const int x = static_cast<int>(blockIdx.x) * tile_x + static_cast<int>(threadIdx.x) * VECTOR_WIDTH;
  const int y = static_cast<int>(blockIdx.y) * tile_y + static_cast<int>(threadIdx.y) * COARSENING_Y;
  const int first = static_cast<int>(blockIdx.z) * COARSENING_Z;
  const int end = min(first + COARSENING_Z, grid.depth);
  Queue queue = {load_points(grid, first - 1, y, x), load_points(grid, first, y, x),
                 load_points(grid, first + 1, y, x)};
  for (int z = first; z < end; ++z) {
    Points next;
    if constexpr (PREFETCH) next = load_points(grid, z + 2, y, x);
    const Surroundings around =
        plane_kind == Plane::shared ? share_surroundings(grid, queue.here, z, y, x) : read_surroundings(grid, z, y, x);
#pragma unroll
    for (int i = 0; i < COARSENING_Y; ++i) {
      if (y + i < grid.height && x < grid.width) {
        store(output, grid, z, y + i, x, step_row(grid, queue, around, weights, i, z, y, x));
      }
    }
    if constexpr (!PREFETCH) next = load_points(grid, z + 2, y, x);
    queue.behind = queue.here;
    queue.here = queue.ahead;
    queue.ahead = next;
  }
}

__device__ inline void pass(const float* __restrict__ input, float* __restrict__ output, Weights weights, int depth,
                            int height, int width, int steps) {
  const Grid grid{input, depth, height, width, width % VECTOR_WIDTH == 0};
  if constexpr (steps_per_pass == 1) {
    take_step(grid, output, weights);
  } else {
    take_steps(grid, output, weights, steps);
  }
}

// input, output: depth * height * width floats, aligned to 16 bytes; steps: at most STEPS_PER_PASS.
extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y, MIN_BLOCKS_PER_SM)
    stencil3d(const float* __restrict__ input, float* __restrict__ output, float centre, float side, int depth,
              int height, int width, int steps) {
  pass(input, output, {centre, side}, depth, height, width, steps);
}

// One of `passes` passes that together take `steps` steps: the first reads the input, the last writes the output, those
// between go back and forth between the output and `other`.
extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y, MIN_BLOCKS_PER_SM)
    stencil3d_pass(const float* input, float* output, float* other, float centre, float side, int depth, int height,
                   int width, int steps, int number, int passes) {
  const bool to_output = (passes - 1 - number) % 2 == 0;
  const float* from = number == 0 ? input : to_output ? other : output;
  const int left = steps - number * steps_per_pass;
  pass(from, to_output ? output : other, {centre, side}, depth, height, width, min(left, steps_per_pass));
}
