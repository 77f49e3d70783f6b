// Exports winners of the CUB templates as policies for CUB 3.
#pragma once

#include "tuner/results/exporters/exporter.h"

namespace warptune::tuner {

// Returns a header that hands the winners of `cub_scan`, `cub_radix_sort` or `cub_merge_sort` back to CUB 3. It has a
// policy hub for each variant, which cub::DispatchScan, cub::DispatchRadixSort or cub::DispatchMergeSort takes as its
// template argument PolicyHub. Of several sizes on one compute capability the largest one's winner holds, as CUB
// chooses by capability alone. Below the smallest capability that was tuned, CUB's own policies stay. Throws
// RequestError for every other kernel, and for values that CUB has no name for. Source:
// cub/device/dispatch/tuning/tuning_scan.cuh, tuning_radix_sort.cuh and tuning_merge_sort.cuh (NVIDIA/cccl 3).
std::string export_cub_policy(const Wisdom& wisdom);

}  // namespace warptune::tuner
