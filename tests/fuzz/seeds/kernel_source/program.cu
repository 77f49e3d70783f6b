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
