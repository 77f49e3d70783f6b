// The sum in double precision: one block of 1024 threads, each adding every 1024th element.
extern "C" __global__ void reduction_reference(const float* input, double* sum, long long size) {
  __shared__ double sums[1024];
  double mine = 0.0;
  for (long long i = threadIdx.x; i < size; i += 1024) mine += input[i];
  sums[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned stride = 512; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = sums[0];
}
