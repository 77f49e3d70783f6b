// What every vendor figure shares: errors, the stream, random data, medians of event-timed runs, and the list of cases.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vendor {

// Ends the program with what was attempted and the library's code, unless that is 0.
void check(int status, const char* what);

// All work goes here: unlike the default stream, it can be recorded into a graph.
cudaStream_t stream();

// What a run writes. Before each sample it is overwritten: by `from`, which holds as many bytes, where the run also
// reads it, else by bytes that no run leaves.
struct Output {
  void* to;
  std::size_t bytes;
  const void* from = nullptr;
};
using Outputs = std::vector<Output>;

// Median device milliseconds of a run of `work`, taken as Warptune takes a winner's: warmed up, samples queued behind a
// kernel that keeps the device busy meanwhile, outputs overwritten before each, short runs repeated within a sample,
// and recorded into a CUDA graph, so that the gaps between their kernels are the device's own. Overwriting matters: a
// run that follows another of the same finds its own output in the L2 cache, and takes up to 4 % less.
double median_ms(const std::function<void()>& work, const Outputs& outputs);

// So many samples for each median from now on, instead of 300 ms of them.
void take_samples(int samples);

struct Figure {
  double value;
  const char* unit;
  std::string note = "-";  // one word: the library's algorithm, if there was a choice
};

struct Case {
  std::string name;
  std::function<Figure()> measure;
};
using Cases = std::vector<Case>;

// One file each.
void add_dense(Cases& cases);
void add_roofs(Cases& cases);
void add_fused_dense(Cases& cases);
void add_algorithms(Cases& cases);
void add_sorting(Cases& cases);
void add_sparse(Cases& cases);
void add_convolution(Cases& cases);

// Device memory, freed on destruction.
template <class T>
class Array {
 public:
  explicit Array(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, std::max<std::size_t>(1, size) * sizeof(T)), "cudaMalloc");
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    // It returns with the last part under way, and stream() waits for nobody.
    check(cudaDeviceSynchronize(), "cudaMemcpy");
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* get() const { return data_; }
  std::size_t size() const { return size_; }
  Output output() const { return {data_, size_ * sizeof(T)}; }
  Output output_from(const Array& first) const { return {data_, size_ * sizeof(T), first.get()}; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

__host__ __device__ inline unsigned mixed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

// out[i] = make(i).
template <class T, class Make>
__global__ void generate(T* out, std::size_t n, Make make) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    out[i] = make(i);
}

template <class T, class Make>
void fill(Array<T>& array, Make make) {
  generate<<<2048, 256, 0, stream()>>>(array.get(), array.size(), make);
  check(cudaStreamSynchronize(stream()), "filling an array");
}

// 32 random bits for each place.
struct Bits {
  unsigned seed;
  __device__ unsigned operator()(std::size_t i) const { return mixed(static_cast<unsigned>(i) * 2654435761u + seed); }
};

// Floats in [-1, 1).
struct UniformFloat {
  unsigned seed;
  __device__ float operator()(std::size_t i) const {
    return static_cast<float>(Bits{seed}(i) >> 8) / 8388608.0f - 1.0f;
  }
};

inline void fill_uniform(Array<float>& array, unsigned seed) {
  fill(array, UniformFloat{seed});
}

}  // namespace vendor
