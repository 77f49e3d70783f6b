// CUB: reduction, scans, histogram and selection, of the data that the templates have. Counts are int where they fit:
// CUB is fastest with them.
#include <cub/cub.cuh>

#include "cub.h"

// templates/segmented_scan/fill.cpp
extern "C" void segments(unsigned char* flags, int* ids, long long size, int by_flags, long long length);

namespace vendor {

namespace {

Figure reduce(int n) {
  Array<float> in(n), out(1);
  fill_uniform(in, 1);
  const double ms = cub_ms({out.output()}, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, in.get(), out.get(), n, stream());
  });
  return {4.0 * n / ms / 1e6, "GB/s"};
}

// Integers from -9 to 9.
struct Digit {
  unsigned seed;
  __device__ int operator()(std::size_t i) const { return static_cast<int>(Bits{seed}(i) % 19) - 9; }
};

Figure scan(int n) {
  Array<int> in(n), out(n);
  fill(in, Digit{1});
  const double ms = cub_ms({out.output()}, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in.get(), out.get(), n, stream());
  });
  return {8.0 * n / ms / 1e6, "GB/s"};
}

// Segments by identifiers (the template's KIND=identifiers), the only kind that CUB has.
Figure segmented_scan(int n) {
  std::vector<int> host_ids(n);
  segments(nullptr, host_ids.data(), n, 0, 100);
  Array<int> ids(host_ids), in(n), out(n);
  fill(in, Digit{1});
  const double ms = cub_ms({out.output()}, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(scratch, bytes, ids.get(), in.get(), out.get(), n,
                                              ::cuda::std::equal_to<>{}, stream());
  });
  return {12.0 * n / ms / 1e6, "GB/s"};
}

// The bins' numbers of templates/histogram/fill.cpp, one by one the same: uniform, or the smallest of four draws.
template <class T>
struct BinNumber {
  unsigned bins;
  bool skewed;

  __device__ static unsigned long long hash64(unsigned long long x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  __device__ T operator()(std::size_t i) const {
    unsigned bin = bins;
    for (int draw = skewed ? 4 : 1; draw > 0; --draw)
      bin = min(bin, static_cast<unsigned>((hash64(4 * i + draw) >> 32) * bins >> 32));
    return static_cast<T>(bin);
  }
};

template <class T>
Figure histogram(int n, int bins, bool skewed) {
  Array<T> in(n);
  Array<unsigned> counts(bins);
  fill(in, BinNumber<T>{static_cast<unsigned>(bins), skewed});
  const double ms = cub_ms({counts.output()}, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(scratch, bytes, in.get(), counts.get(), bins + 1, 0, bins, n, stream());
  });
  return {double(sizeof(T)) * n / ms / 1e6, "GB/s"};
}

struct Positive {
  __device__ bool operator()(float x) const { return x > 0; }
};

// Half of the elements are kept, and written.
Figure select(int n) {
  Array<float> in(n), out(n);
  Array<int> count(1);
  fill_uniform(in, 1);
  const double ms = cub_ms({out.output(), count.output()}, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, in.get(), out.get(), count.get(), n, Positive{}, stream());
  });
  return {6.0 * n / ms / 1e6, "GB/s"};
}

}  // namespace

void add_algorithms(Cases& cases) {
  for (const int n : {1 << 20, 1 << 28})
    cases.push_back({"cub_reduce_" + std::to_string(n), [=] { return reduce(n); }});
  cases.push_back({"cub_scan_268435456", [] { return scan(1 << 28); }});
  cases.push_back({"cub_segmented_scan_268435456", [] { return segmented_scan(1 << 28); }});
  cases.push_back({"cub_histogram_256_uniform", [] { return histogram<std::uint8_t>(1 << 30, 256, false); }});
  cases.push_back({"cub_histogram_256_skewed", [] { return histogram<std::uint8_t>(1 << 28, 256, true); }});
  for (const bool skewed : {false, true})
    cases.push_back({std::string("cub_histogram_4096_") + (skewed ? "skewed" : "uniform"),
                     [=] { return histogram<std::uint32_t>(1 << 28, 4096, skewed); }});
  cases.push_back({"cub_select_268435456", [] { return select(1 << 28); }});
}

}  // namespace vendor
