// What every vendor figure shares: errors, random data, medians of event-timed runs, one line "name value unit" each.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace vendor {

inline void check(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "vendor: %s failed with code %d\n", what, status);
  std::exit(1);
}

// Device memory, freed on destruction.
template <class T>
class Array {
 public:
  explicit Array(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, std::max<std::size_t>(1, size) * sizeof(T)), "cudaMalloc");
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* get() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

__host__ __device__ inline unsigned mixed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

// out[i] = make(32 random bits of i).
template <class T, class Make>
__global__ void generate(T* out, std::size_t n, unsigned seed, Make make) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    out[i] = make(mixed(static_cast<unsigned>(i) * 2654435761u + seed));
}

template <class T, class Make>
void fill(Array<T>& array, unsigned seed, Make make) {
  generate<<<2048, 256>>>(array.get(), array.size(), seed, make);
  check(cudaDeviceSynchronize(), "filling an array");
}

struct UniformFloat {
  __device__ float operator()(unsigned bits) const { return static_cast<float>(bits >> 8) / 8388608.0f - 1.0f; }
};

inline void fill_uniform(Array<float>& array, unsigned seed) {
  fill(array, seed, UniformFloat{});
}

// Median device milliseconds of `work`, after a few runs to warm up; short runs are repeated within a sample.
inline double median_ms(const std::function<void()>& work) {
  constexpr int samples = 21, warm_up = 3;
  constexpr double sample_ms = 0.2;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  const auto timed = [&](int runs) {
    float ms = 0;
    cudaEventRecord(begin);
    for (int i = 0; i < runs; ++i) work();
    cudaEventRecord(end);
    check(cudaEventSynchronize(end), "a timed run");
    cudaEventElapsedTime(&ms, begin, end);
    return static_cast<double>(ms) / runs;
  };
  double last_ms = 0;
  for (int i = 0; i < warm_up; ++i) last_ms = timed(1);
  const int runs = std::clamp(static_cast<int>(sample_ms / std::max(last_ms, 1e-3)), 1, 100);
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) times.push_back(timed(runs));
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  return times[samples / 2];
}

inline void report(const std::string& name, double value, const char* unit) {
  std::printf("%s %.1f %s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}

// One file each.
void run_dense();
void run_algorithms();
void run_sparse();
void run_convolution();

}  // namespace vendor
