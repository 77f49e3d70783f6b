#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <typename T, int BLOCK>
__global__ void reduce(const T* in, T* partial, int n) {
  __shared__ T s[BLOCK];
  T sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) sum += in[i];
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int k = BLOCK / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = s[0];
}

int main() {
  const int n = 1 << 22;
  const int threads = 256;
  int blocks = (n + threads * 8 - 1) / (threads * 8);
  float *d_in, *d_partial, *d_sum;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_partial, blocks * sizeof(float));
  cudaMalloc(&d_sum, sizeof(float));
  std::vector<float> h(n, 1.0f);
  cudaMemcpy(d_in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  reduce<float, 256><<<blocks, threads>>>(d_in, d_partial, n);
  reduce<float, 256><<<1, threads>>>(d_partial, d_sum, blocks);
  float sum;
  cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", sum);
  return 0;
}
