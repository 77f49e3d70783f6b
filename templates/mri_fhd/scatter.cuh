// A thread per sample adds to all voxels: the loops as they are written down. All threads of a warp add to the same
// voxel at the same time, atomically.
#pragma once

__device__ inline void add_by_samples(const float* x, const float* y, const float* z, const Samples& samples,
                                      float* out_re, float* out_im, int size, int count) {
  const int own = static_cast<int>(blockIdx.x) * BLOCK_SIZE + static_cast<int>(threadIdx.x);
  if (own >= count) return;
  const Sample sample = prepared(samples.at(own));
  for (int voxel = 0; voxel < size; ++voxel) {
    Sum sum{};
    add_by_units(sum, sample, sample.kx * x[voxel] + (sample.ky * y[voxel] + sample.kz * z[voxel]));
    atomicAdd(out_re + voxel, sum.re);
    atomicAdd(out_im + voxel, sum.im);
  }
}
