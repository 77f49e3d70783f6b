// F^H d in double precision, a thread per voxel.
extern "C" __global__ void mri_fhd_reference(const float* x, const float* y, const float* z, const float* kx,
                                             const float* ky, const float* kz, const float* re, const float* im,
                                             const float* phi_re, const float* phi_im, double* out_re, double* out_im,
                                             int size, int count) {
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
    const double phi[2] = {PHI ? static_cast<double>(phi_re[i]) : 1.0, PHI ? static_cast<double>(phi_im[i]) : 0.0};
    const double mu_re = phi[0] * static_cast<double>(re[i]) + phi[1] * static_cast<double>(im[i]);
    const double mu_im = phi[0] * static_cast<double>(im[i]) - phi[1] * static_cast<double>(re[i]);
    sum_re += mu_re * cosine - mu_im * sine;
    sum_im += mu_im * cosine + mu_re * sine;
  }
  out_re[voxel] = sum_re;
  out_im[voxel] = sum_im;
}
