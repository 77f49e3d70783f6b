// CUB: reduction, scan, histogram, selection, radix sort, on the data that the templates use.
#include <cstdint>
#include <cub/cub.cuh>

#include "harness.h"

namespace vendor {

namespace {

// CUB's two calls: how much scratch, then the work.
template <class Call>
double cub_ms(Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "asking CUB for its scratch size");
  Array<unsigned char> scratch(bytes);
  return median_ms([&] { check(call(scratch.get(), bytes), "a CUB call"); });
}

void reduce(std::size_t n) {
  Array<float> in(n), out(1);
  fill_uniform(in, 1);
  const double ms = cub_ms([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, in.get(), out.get(), n);
  });
  report("cub_reduce_" + std::to_string(n), 4.0 * n / ms / 1e6, "GB/s");
}

void scan(std::size_t n) {
  Array<float> in(n), out(n);
  fill_uniform(in, 1);
  const double ms = cub_ms([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in.get(), out.get(), n);
  });
  report("cub_scan_" + std::to_string(n), 8.0 * n / ms / 1e6, "GB/s");
}

// Uniform over all bins, or (the smaller of four such draws) crowded at the low end.
template <class T>
struct Sample {
  unsigned bins;
  bool skewed;
  __device__ T operator()(unsigned bits) const {
    unsigned value = bits % bins;
    if (skewed)
      for (int i = 0; i < 3; ++i) value = min(value, (bits = mixed(bits)) % bins);
    return static_cast<T>(value);
  }
};

template <class T>
void histogram(std::size_t n, unsigned bins, bool skewed) {
  Array<T> in(n);
  Array<int> counts(bins);
  fill(in, 1, Sample<T>{bins, skewed});
  const double ms = cub_ms([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(scratch, bytes, in.get(), counts.get(), static_cast<int>(bins) + 1, 0,
                                               static_cast<int>(bins), static_cast<long long>(n));
  });
  report("cub_histogram_" + std::to_string(bins) + (skewed ? "_skewed" : "_uniform"), sizeof(T) * 1.0 * n / ms / 1e6,
         "GB/s");
}

struct Positive {
  __device__ bool operator()(float x) const { return x > 0; }
};

void compact(std::size_t n) {
  Array<float> in(n), out(n);
  Array<long long> count(1);
  fill_uniform(in, 1);
  const double ms = cub_ms([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, in.get(), out.get(), count.get(), static_cast<long long>(n),
                                 Positive{});
  });
  report("cub_select_" + std::to_string(n), 6.0 * n / ms / 1e6, "GB/s");  // half of the elements are written
}

struct Bits {
  __device__ std::uint32_t operator()(unsigned bits) const { return bits; }
};

void radix_sort(std::size_t n) {
  Array<std::uint32_t> in(n), out(n);
  fill(in, 1, Bits{});
  const double ms = cub_ms([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in.get(), out.get(), static_cast<long long>(n));
  });
  report("cub_radix_sort_" + std::to_string(n), n / ms / 1e3, "Mkeys/s");
}

}  // namespace

void run_algorithms() {
  reduce(std::size_t{1} << 20);
  reduce(std::size_t{1} << 28);
  scan(std::size_t{1} << 28);
  for (const bool skewed : {false, true}) {
    histogram<std::uint8_t>(std::size_t{1} << 30, 256, skewed);
    histogram<std::uint32_t>(std::size_t{1} << 28, 4096, skewed);
  }
  compact(std::size_t{1} << 28);
  radix_sort(std::size_t{1} << 27);
}

}  // namespace vendor
