// The copy, a thread per element. No arithmetic, so double holds every float exactly.
extern "C" __global__ void copy_reference(const float* input, double* output, long long size) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) output[i] = input[i];
}
