// What no kernel of such a size is faster than: a copy of as many bytes, and a launch that does nothing.
#include "harness.h"

namespace vendor {

namespace {

Figure copy(std::size_t elements) {
  Array<float> from(elements), to(elements);
  fill_uniform(from, 1);
  const double ms = median_ms([&] {
    check(cudaMemcpyAsync(to.get(), from.get(), elements * 4, cudaMemcpyDeviceToDevice, stream()), "cudaMemcpyAsync");
  });
  return {8.0 * elements / ms / 1e6, "GB/s"};
}

__global__ void nothing() {}

// As if so many floats had been read in that time: the bound of a reduction in one launch of one block per
// multiprocessor.
Figure empty_kernel(std::size_t elements) {
  int blocks = 0;
  check(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  const double ms = median_ms([&] {
    nothing<<<blocks, 256, 0, stream()>>>();
    check(cudaGetLastError(), "launching an empty kernel");
  });
  return {4.0 * elements / ms / 1e6, "GB/s", std::to_string(ms * 1e3) + "us"};
}

}  // namespace

void add_roofs(Cases& cases) {
  for (const std::size_t n : {std::size_t{1} << 24, std::size_t{1} << 25, std::size_t{1} << 26, std::size_t{1} << 28,
                              std::size_t{768} * 768 * 768, std::size_t{1} << 30})
    cases.push_back({"copy_" + std::to_string(n), [=] { return copy(n); }});
  cases.push_back({"empty_kernel_1048576", [] { return empty_kernel(1 << 20); }});
}

}  // namespace vendor
