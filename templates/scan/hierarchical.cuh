// The hierarchical scan of the lectures: scan each section, scan the sections' sums, add. A section is what a block
// scans. Of many sections, their sums are again sections with sums: three levels instead of two.
#pragma once

#include "tile.cuh"

// Each section for itself. input and output may be the same. Dynamic shared memory: the exchange's.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    scan_sections(const Value* input, Value* output, Value* sums, long long size, int exclusive) {
  extern __shared__ int4 dynamic_shared[];
  Pack* storage = reinterpret_cast<Pack*>(dynamic_shared);
  const long long begin = static_cast<long long>(blockIdx.x) * tile_size;
  const int count = count_in_tile(blockIdx.x, size);
  Value items[COARSENING];
  load_tile<false>(items, input + begin, count, storage);
  const Prefix prefix = block_scan(sum_of(items));
  if (threadIdx.x == 0) sums[blockIdx.x] = prefix.total;
  scan_items(items, prefix.before, exclusive != 0);
  store_tile<false>(items, output + begin, count, storage);
}

// What lies before a section is added to each of its values.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    add_sums(Value* output, const Value* sums_before, long long size) {
  const long long begin = static_cast<long long>(blockIdx.x) * tile_size;
  const int count = count_in_tile(blockIdx.x, size);
  const Value before = sums_before[blockIdx.x];
  for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK_SIZE) output[begin + i] += before;
}
