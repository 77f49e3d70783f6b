// CUB's sorts of 2^27 random integers: by digits, alone or with values, and by comparison.
#include <cub/cub.cuh>

#include "cub.h"

namespace vendor {

namespace {

Figure sorted(int n, double ms) {
  return {n / ms / 1e6, "Gkeys/s"};
}

Figure radix_sort_keys(int n) {
  Array<std::uint32_t> in(n), out(n);
  fill(in, Bits{1});
  return sorted(n, cub_ms({out.output()}, [&](void* scratch, std::size_t& bytes) {
                  return cub::DeviceRadixSort::SortKeys(scratch, bytes, in.get(), out.get(), n, 0, 32, stream());
                }));
}

struct Place {
  __device__ std::uint32_t operator()(std::size_t i) const { return static_cast<std::uint32_t>(i); }
};

Figure radix_sort_pairs(int n) {
  Array<std::uint32_t> in(n), out(n), values(n), values_out(n);
  fill(in, Bits{1}), fill(values, Place{});
  return sorted(n, cub_ms({out.output(), values_out.output()}, [&](void* scratch, std::size_t& bytes) {
                  return cub::DeviceRadixSort::SortPairs(scratch, bytes, in.get(), out.get(), values.get(),
                                                         values_out.get(), n, 0, 32, stream());
                }));
}

Figure merge_sort(int n) {
  Array<std::int32_t> in(n), out(n);
  fill(in, Bits{1});
  return sorted(n, cub_ms({out.output()}, [&](void* scratch, std::size_t& bytes) {
                  return cub::DeviceMergeSort::SortKeysCopy(scratch, bytes, in.get(), out.get(), n,
                                                            ::cuda::std::less<>{}, stream());
                }));
}

}  // namespace

void add_sorting(Cases& cases) {
  cases.push_back({"cub_radix_sort_keys_134217728", [] { return radix_sort_keys(1 << 27); }});
  cases.push_back({"cub_radix_sort_pairs_134217728", [] { return radix_sort_pairs(1 << 27); }});
  cases.push_back({"cub_merge_sort_134217728", [] { return merge_sort(1 << 27); }});
}

}  // namespace vendor
