// y = a * x + y in double precision, a thread per element. The product of two floats is exact there.
extern "C" __global__ void saxpy_reference(float a, const float* x, double* y, long long size) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) y[i] += static_cast<double>(a) * static_cast<double>(x[i]);
}
