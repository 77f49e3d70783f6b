// What the vendor's libraries reach on the first GPU: cuBLAS SGEMM, a device-to-device copy, CUB's reduction. One line each,
// "name value unit", medians of event-timed runs on random data. The bar that run.sh holds Warptune's winners against.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <functional>
#include <vector>

namespace {

void check(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s failed with code %d\n", what, status);
  std::exit(1);
}

__global__ void fill(float* out, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < n; i += static_cast<size_t>(gridDim.x) * blockDim.x) {
    unsigned x = static_cast<unsigned>(i) * 2654435761u + seed;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    out[i] = static_cast<float>((x ^ (x >> 13)) & 0xffffff) / 8388608.0f - 1.0f;
  }
}

float* random_floats(size_t n, unsigned seed) {
  float* data = nullptr;
  check(cudaMalloc(&data, n * sizeof(float)), "cudaMalloc");
  fill<<<1024, 256>>>(data, n, seed);
  return data;
}

double median_ms(const std::function<void()>& work) {
  constexpr int repeats = 21;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int i = 0; i < 3; ++i) work();
  std::vector<float> times;
  for (int i = 0; i < repeats; ++i) {
    cudaEventRecord(begin);
    work();
    cudaEventRecord(end);
    check(cudaEventSynchronize(end), "a timed run");
    times.push_back(0);
    cudaEventElapsedTime(&times.back(), begin, end);
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[repeats / 2];
}

void sgemm(int n) {
  const size_t elements = static_cast<size_t>(n) * n;
  float *a = random_floats(elements, 1), *b = random_floats(elements, 2), *c = random_floats(elements, 3);
  cublasHandle_t handle;
  check(cublasCreate(&handle), "cublasCreate");
  const float alpha = 1.5f, beta = 0.5f;
  const double ms = median_ms([&] {
    check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, n, b, n, &beta, c, n), "cublasSgemm");
  });
  std::printf("cublas_sgemm_%d %.1f GFLOP/s\n", n, 2.0 * n * n * n / ms / 1e6);
  for (float* data : {a, b, c}) cudaFree(data);
  cublasDestroy(handle);
}

void copy(size_t elements) {
  float *from = random_floats(elements, 1), *to = random_floats(elements, 2);
  const double ms = median_ms([&] { cudaMemcpyAsync(to, from, elements * 4, cudaMemcpyDeviceToDevice); });
  std::printf("copy_%zu %.1f GB/s\n", elements, 8.0 * elements / ms / 1e6);
  cudaFree(from);
  cudaFree(to);
}

void reduce(size_t elements) {
  float *in = random_floats(elements, 1), *out = random_floats(1, 2);
  size_t bytes = 0;
  void* scratch = nullptr;
  cub::DeviceReduce::Sum(scratch, bytes, in, out, elements);
  cudaMalloc(&scratch, bytes);
  const double ms = median_ms([&] { cub::DeviceReduce::Sum(scratch, bytes, in, out, elements); });
  std::printf("cub_reduce_%zu %.1f GB/s\n", elements, 4.0 * elements / ms / 1e6);
  cudaFree(in);
}

}  // namespace

int main() {
  sgemm(4096);
  copy(size_t{16384} * 16384);
  reduce(size_t{1} << 28);
}
