// F^H d in double precision, a thread a voxel.
extern "C" __global__ void mri_fhd_reference(const float* x, const float* y, const float* z, const float* kx,
                                             const float* ky, const float* kz, const float* re, const float* im,
                                             double* out_re, double* out_im, int size, int count) {
  const int voxel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (voxel >= size) return;
  double sum_re = 0.0;
  double sum_im = 0.0;
  for (int i = 0; i < count; ++i) {
    const double turns = static_cast<double>(kx[i]) * static_cast<double>(x[voxel]) +
                         static_cast<double>(ky[i]) * static_cast<double>(y[voxel]) +
                         static_cast<double>(kz[i]) * static_cast<double>(z[voxel]);
    const double angle = 6.283185307179586 * (turns - rint(turns));
    const double sine = sin(angle);
    const double cosine = cos(angle);
    sum_re += static_cast<double>(re[i]) * cosine - static_cast<double>(im[i]) * sine;
    sum_im += static_cast<double>(im[i]) * cosine + static_cast<double>(re[i]) * sine;
  }
  out_re[voxel] = sum_re;
  out_im[voxel] = sum_im;
}
