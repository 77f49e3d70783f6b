// The samples' k as constant memory gets it: first as structures (kx, ky, kz of a sample next to each other), then as
// three arrays.
extern "C" void constant_trajectory(const float* kx, const float* ky, const float* kz, float* constant_k, int count) {
  for (int i = 0; i < count; ++i) {
    constant_k[3 * i] = constant_k[3 * count + i] = kx[i];
    constant_k[3 * i + 1] = constant_k[4 * count + i] = ky[i];
    constant_k[3 * i + 2] = constant_k[5 * count + i] = kz[i];
  }
}
