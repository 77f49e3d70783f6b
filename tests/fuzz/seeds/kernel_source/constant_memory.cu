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
