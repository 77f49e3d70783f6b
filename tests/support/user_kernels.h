// Kernels as people bring them: none of them knows of Warptune.
#pragma once

namespace warptune {

inline constexpr char saxpy_source[] = R"cuda(
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
)cuda";

inline constexpr char matmul_program[] = R"cuda(
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define TILE_WIDTH 16

#define CHECK(call) \
  do { cudaError_t e = call; if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

// C = A * B, tiled
__global__ void matrixMulKernel(float* M, float* N, float* P, int Width) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

  int bx = blockIdx.x; int by = blockIdx.y;
  int tx = threadIdx.x; int ty = threadIdx.y;
  int Row = by * TILE_WIDTH + ty;
  int Col = bx * TILE_WIDTH + tx;

  float Pvalue = 0;
  for (int ph = 0; ph < Width / TILE_WIDTH; ++ph) {
    Mds[ty][tx] = M[Row * Width + ph * TILE_WIDTH + tx];
    Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * Width + Col];
    __syncthreads();
    for (int k = 0; k < TILE_WIDTH; ++k) Pvalue += Mds[ty][k] * Nds[k][tx];
    __syncthreads();
  }
  P[Row * Width + Col] = Pvalue;
}

void matrixMulCPU(const float* M, const float* N, float* P, int Width) {
  for (int i = 0; i < Width; ++i)
    for (int j = 0; j < Width; ++j) {
      float s = 0;
      for (int k = 0; k < Width; ++k) s += M[i * Width + k] * N[k * Width + j];
      P[i * Width + j] = s;
    }
}

int main(int argc, char** argv) {
  int Width = 1024;
  if (argc > 1) Width = atoi(argv[1]);
  size_t size = Width * Width * sizeof(float);
  float *h_M = (float*)malloc(size), *h_N = (float*)malloc(size), *h_P = (float*)malloc(size);
  float *d_M, *d_N, *d_P;
  CHECK(cudaMalloc((void**)&d_M, size));
  CHECK(cudaMalloc((void**)&d_N, size));
  CHECK(cudaMalloc((void**)&d_P, size));
  cudaMemcpy(d_M, h_M, size, cudaMemcpyHostToDevice);
  cudaMemcpy(d_N, h_N, size, cudaMemcpyHostToDevice);
  dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
  dim3 dimGrid(Width / TILE_WIDTH, Width / TILE_WIDTH);
  matrixMulKernel<<<dimGrid, dimBlock>>>(d_M, d_N, d_P, Width);
  cudaDeviceSynchronize();
  cudaMemcpy(h_P, d_P, size, cudaMemcpyDeviceToHost);
  matrixMulCPU(h_M, h_N, h_P, Width);
  return 0;
}
)cuda";

inline constexpr char convolution_source[] = R"cuda(
// 1D convolution with a halo in shared memory
#ifndef BLOCK
#define BLOCK 256
#endif
#define RADIUS 4
__constant__ float mask[2 * RADIUS + 1];
__global__ void conv(const float* in, float* out, int n) {
  __shared__ float tile[BLOCK + 2 * RADIUS];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  int t = threadIdx.x + RADIUS;
  tile[t] = i < n ? in[i] : 0.f;
  if (threadIdx.x < RADIUS) {
    int l = i - RADIUS;
    tile[threadIdx.x] = l >= 0 ? in[l] : 0.f;
    int r = i + BLOCK;
    tile[t + BLOCK] = r < n ? in[r] : 0.f;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k) sum += tile[t + k] * mask[k + RADIUS];
  out[i] = sum;
}
)cuda";

inline constexpr char softmax_source[] = R"cuda(
#include <math.h>
#define THREADS 128
__global__ void softmax(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float red[THREADS];
  int row = blockIdx.x;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += THREADS) m = fmaxf(m, x[row * cols + c]);
  red[threadIdx.x] = m;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) red[threadIdx.x] = fmaxf(red[threadIdx.x], red[threadIdx.x + s]);
    __syncthreads();
  }
  m = red[0];
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += THREADS) sum += expf(x[row * cols + c] - m);
  red[threadIdx.x] = sum;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) red[threadIdx.x] += red[threadIdx.x + s];
    __syncthreads();
  }
  sum = red[0];
  for (int c = threadIdx.x; c < cols; c += THREADS) y[row * cols + c] = expf(x[row * cols + c] - m) / sum;
}
)cuda";

inline constexpr char reduction_program[] = R"cuda(
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
)cuda";

inline constexpr char histogram_program[] = R"cuda(
#include <stdio.h>
#define NUM_BINS 256
#define BLOCK_SIZE 256
#define COARSE_FACTOR 4
__global__ void histogram(unsigned char* data, unsigned int* bins, unsigned int length) {
  __shared__ unsigned int local[NUM_BINS];
  for (unsigned int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) local[b] = 0u;
  __syncthreads();
  unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int i = tid; i < length; i += blockDim.x * gridDim.x) atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (unsigned int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}
int main() {
  unsigned int n = 1 << 20;
  unsigned char* d; unsigned int* bins;
  cudaMalloc(&d, n); cudaMalloc(&bins, NUM_BINS * sizeof(unsigned int));
  cudaMemset(bins, 0, NUM_BINS * sizeof(unsigned int));
  dim3 block(BLOCK_SIZE, 1, 1);
  dim3 grid((n + BLOCK_SIZE * COARSE_FACTOR - 1) / (BLOCK_SIZE * COARSE_FACTOR));
  histogram<<<grid, block>>>(d, bins, n);
  return 0;
}
)cuda";

inline constexpr char heat_source[] = R"cuda(
__global__ void heat(const double* t, double* next, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    next[y * nx + x] = 0.25 * (t[y * nx + x - 1] + t[y * nx + x + 1] + t[(y - 1) * nx + x] + t[(y + 1) * nx + x]);
}
)cuda";

inline constexpr char two_kernels_program[] = R"cuda(
#include <stdio.h>
#define BLOCK_SIZE 256
__global__ void row_sums(const float* a, float* sums, int rows, int cols) {
  __shared__ float s[BLOCK_SIZE];
  int row = blockIdx.x;
  float v = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) v += a[row * cols + c];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = BLOCK_SIZE / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[row] = s[0];
}
__global__ void divide(float* a, const float* sums, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) a[i] /= 2.f + fabsf(sums[i / cols]);
}
void normalise(float* h_a, int rows, int cols) {
  float *d_a, *d_sums;
  size_t bytes = rows * cols * sizeof(float);
  cudaMalloc((void**)&d_a, bytes);
  cudaMalloc((void**)&d_sums, rows * sizeof(float));
  cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice);
  row_sums<<<rows, BLOCK_SIZE>>>(d_a, d_sums, rows, cols);
  divide<<<(rows * cols + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(d_a, d_sums, rows, cols);
  cudaMemcpy(h_a, d_a, bytes, cudaMemcpyDeviceToHost);
}
)cuda";

}  // namespace warptune
