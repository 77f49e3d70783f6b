// output[z][y][x] = the maximum of a cube of WINDOW values a side, with the output at its centre or at its first corner
// (the variant POSITION); beyond the volume's border is nothing. Maxima may be taken axis by axis, and of overlapping
// parts.
//
//   ALGORITHM       direct: every output reads its whole cube through the caches; tiled: from a tile with its halo in
//                   shared memory; separable: three passes through global memory, one per axis; marching: a block
//                   marches along z, takes each plane's maxima along x and y in shared memory, and keeps those of the
//                   last planes in registers
//   AXIS_ALGORITHM  maxima along an axis (z, if marching): direct: each window for itself; van_herk: suffixes and
//                   prefixes of segments as wide as the window, three comparisons per window whatever its width
//   BOUNDARY        direct: checks: a value outside counts as minus infinity; limits: the loops end at the border, so
//                   that the threads of a warp make different numbers of steps
//   BLOCK_DIM_X, BLOCK_DIM_Y  threads per block, in a plane
//   COARSENING_Y    marching: rows of a plane per thread, whose columns of row maxima overlap
//   COARSENING_Z    planes of outputs per thread: a tile's, or the march's
//   PREFETCH        marching: is the next plane on its way to registers while this one is used
//
// Sources: van Herk, "A Fast Algorithm for Local Minimum and Maximum Filters on Rectangular and Octagonal Kernels"
// (Pattern Recognition Letters 1992); Gil & Werman, "Computing 2-D Min, Median, and Max Filters" (PAMI 1993); Kirk &
// Hwu, "Programming Massively Parallel Processors", ch. 7 and 8, for tiles and halos; Micikevicius, "3D Finite
// Difference Computation on GPUs Using CUDA" (GPGPU-2, 2009) for marching along z with a queue of registers.

#include "marching.cuh"
#include "separable.cuh"
#include "windows.cuh"

// input, output: depth * height * width floats. Dynamic shared memory: the tile, or a plane and its row maxima.
extern "C" __global__ void __launch_bounds__(threads)
    window_max3d(const float* __restrict__ input, float* __restrict__ output, int depth, int height, int width) {
  extern __shared__ float shared[];
  const Volume volume{input, depth, height, width};
  if constexpr (algorithm == Algorithm::marching) {
    max_by_marching(volume, output, shared);
  } else {
    max_by_windows(volume, output, shared);
  }
}

extern "C" __global__ void __launch_bounds__(threads)
    window_max_along_x(const float* __restrict__ input, float* __restrict__ output, int depth, int height, int width) {
  extern __shared__ float shared[];
  max_along_x(input, output, shared, static_cast<long long>(depth) * height, width);
}

// z counts planes.
extern "C" __global__ void __launch_bounds__(threads)
    window_max_along_y(const float* __restrict__ input, float* __restrict__ output, int depth, int height, int width) {
  max_across(input, output, width, height, width, static_cast<long long>(height) * width);
}

// z counts rows of a plane.
extern "C" __global__ void __launch_bounds__(threads)
    window_max_along_z(const float* __restrict__ input, float* __restrict__ output, int depth, int height, int width) {
  max_across(input, output, width, depth, static_cast<long long>(height) * width, width);
}
