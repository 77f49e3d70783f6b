// What no kernel of such a size is faster than: a copy of as many bytes, a launch that does nothing, one that only
// reads its input, and one whose blocks only hand each other a word.
#include "harness.h"

namespace vendor {

namespace {

Figure copy(std::size_t elements) {
  Array<float> from(elements), to(elements);
  fill_uniform(from, 1);
  const auto work = [&] {
    check(cudaMemcpyAsync(to.get(), from.get(), elements * 4, cudaMemcpyDeviceToDevice, stream()), "cudaMemcpyAsync");
  };
  const double ms = median_ms(work, {to.output()});
  return {8.0 * elements / ms / 1e6, "GB/s"};
}

__global__ void nothing() {}

// `Loads` float4s a thread, all on their way at once. Nothing is added up between threads, and nothing is ever stored:
// the loads' values are only kept from being optimised away.
template <int Loads>
__global__ void read_only(const float4* input, int vectors, float* never) {
  float4 loaded[Loads];
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll
  for (int i = 0; i < Loads; ++i)
    loaded[i] = first + i * threads < vectors ? input[first + i * threads] : float4{0, 0, 0, 0};
  float sum = 0;
#pragma unroll
  for (const float4& v : loaded) sum += v.x + v.y + v.z + v.w;
  if (sum == 1e30f) *never = sum;
}

// Every block leaves a word for the last one, which waits for all of them and clears them: what a reduction in one
// launch needs once its blocks have their sums. One warp asks for all words at once.
constexpr int most_blocks = 512;
__global__ void meet(volatile unsigned* words) {
  if (threadIdx.x == 0) words[blockIdx.x] = 1;
  if (blockIdx.x != gridDim.x - 1 || threadIdx.x >= 32) return;
  __syncwarp();
  unsigned seen[most_blocks / 32];
#pragma unroll
  for (int i = 0; i < most_blocks / 32; ++i)
    seen[i] = threadIdx.x + i * 32 < gridDim.x ? words[threadIdx.x + i * 32] : 1;
#pragma unroll
  for (int i = 0; i < most_blocks / 32; ++i) {
    while (seen[i] == 0) seen[i] = words[threadIdx.x + i * 32];
    if (threadIdx.x + i * 32 < gridDim.x) words[threadIdx.x + i * 32] = 0;
  }
}

struct Grid {
  int blocks;
  int threads;
};

int multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  return count;
}

double empty_ms(Grid grid) {
  const auto work = [=] {
    nothing<<<grid.blocks, grid.threads, 0, stream()>>>();
    check(cudaGetLastError(), "launching an empty kernel");
  };
  return median_ms(work, {});
}

double read_ms(Grid grid, const Array<float>& input, Array<float>& never) {
  const int vectors = static_cast<int>(input.size() / 4), threads = grid.blocks * grid.threads;
  const auto work = [&, grid] {
    const auto* from = reinterpret_cast<const float4*>(input.get());
    const int loads = (vectors - 1) / threads + 1;
    if (loads <= 2)
      read_only<2><<<grid.blocks, grid.threads, 0, stream()>>>(from, vectors, never.get());
    else if (loads <= 4)
      read_only<4><<<grid.blocks, grid.threads, 0, stream()>>>(from, vectors, never.get());
    else
      read_only<8><<<grid.blocks, grid.threads, 0, stream()>>>(from, vectors, never.get());
    check(cudaGetLastError(), "launching a kernel that reads");
  };
  return median_ms(work, {});
}

double meet_ms(Grid grid, Array<unsigned>& words) {
  const auto work = [&, grid] {
    meet<<<grid.blocks, grid.threads, 0, stream()>>>(words.get());
    check(cudaGetLastError(), "launching a kernel whose blocks meet");
  };
  return median_ms(work, {});
}

// As if so many floats had been read in that time: the bound of a reduction in one launch of one block per
// multiprocessor.
Figure empty_kernel(std::size_t elements) {
  const double ms = empty_ms({multiprocessors(), 256});
  return {4.0 * elements / ms / 1e6, "GB/s", std::to_string(ms * 1e3) + "us"};
}

// The grid that is fastest of those that hold 2^20 floats with all loads on their way, as if these had been read in
// that time.
template <class Milliseconds>
Figure fastest_grid(Milliseconds ms_of) {
  constexpr int elements = 1 << 20;
  double best_ms = 0;
  std::string note;
  for (const int per_multiprocessor : {1, 2})
    for (const int threads : {256, 512, 1024}) {
      const Grid grid{per_multiprocessor * multiprocessors(), threads};
      if (grid.blocks > most_blocks || grid.blocks * threads * 8 < elements / 4) continue;
      const double ms = ms_of(grid);
      if (best_ms > 0 && ms >= best_ms) continue;
      best_ms = ms;
      note = std::to_string(ms * 1e3) + "us," + std::to_string(grid.blocks) + "x" + std::to_string(threads);
    }
  if (best_ms == 0) check(1, "finding a grid for 2^20 floats among 2 to 512 blocks");
  return {4.0 * elements / best_ms / 1e6, "GB/s", note};
}

// A kernel that only reads 2^20 floats, which the L2 cache holds.
Figure read() {
  Array<float> input(std::size_t{1} << 20), never(1);
  fill_uniform(input, 1);
  return fastest_grid([&](Grid grid) { return read_ms(grid, input, never); });
}

// One whose blocks only meet.
Figure meeting() {
  Array<unsigned> words{std::vector<unsigned>(most_blocks)};
  return fastest_grid([&](Grid grid) { return meet_ms(grid, words); });
}

}  // namespace

void add_roofs(Cases& cases) {
  for (const std::size_t n : {std::size_t{1} << 24, std::size_t{1} << 25, std::size_t{1} << 26, std::size_t{1} << 28,
                              std::size_t{768} * 768 * 768, std::size_t{1} << 30})
    cases.push_back({"copy_" + std::to_string(n), [=] { return copy(n); }});
  cases.push_back({"empty_kernel_1048576", [] { return empty_kernel(1 << 20); }});
  cases.push_back({"read_1048576", read});
  cases.push_back({"meet_1048576", meeting});
}

}  // namespace vendor
