// Bins of any length: atoms are counted by bins, prefix sums of the counts say where each bin begins, and atoms are
// copied there. Bins that are neighbours along x then are neighbours in memory, without empty slots. BIN_CAPACITY only
// keeps single bins from growing far beyond the others.
#pragma once

#include "grid.cuh"

constexpr int scan_threads = 256;

// Which bin an atom belongs to and which place within it; none: it is in the overflow list.
struct Place {
  int bin;
  int slot;
};

// Hillis and Steele's inclusive scan over the block's threads. They meet before they call it again.
__device__ inline int block_scan(int value) {
  __shared__ int buffers[2][scan_threads];
  const int thread = static_cast<int>(threadIdx.x);
  int current = 0;
  buffers[current][thread] = value;
  __syncthreads();
  for (int offset = 1; offset < scan_threads; offset *= 2) {
    if (thread >= offset) value += buffers[current][thread - offset];
    current = 1 - current;
    buffers[current][thread] = value;
    __syncthreads();
  }
  return value;
}

// counts: as for bin_atoms; places: one for each atom.
extern "C" __global__ void count_atoms(const float4* __restrict__ atoms, int* __restrict__ counts,
                                       Place* __restrict__ places, float4* __restrict__ overflow, int nx, int ny,
                                       int nz, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (!is_dynamic || i >= count) return;
  const Grid grid{nx, ny, nz};
  const float4 atom = located(atoms[i], grid);
  const int bin = bin_of(atom, grid);
  const int slot = reserve_slot(counts + bin);
  places[i] = {bin, slot};
  if (slot >= BIN_CAPACITY) overflow[atomicAdd(counts + grid.all_bins(), 1)] = atom;
}

// starts: for each bin, and behind them the end, the atoms of the bins before it, as far as the block has these bins;
// sums: all atoms of a block's bins.
extern "C" __global__ void scan_counts(const int* __restrict__ counts, int* __restrict__ starts, int* __restrict__ sums,
                                       int bins) {
  if constexpr (!is_dynamic) return;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int own = i < bins ? min(counts[i], BIN_CAPACITY) : 0;
  const int sum = block_scan(own);
  if (i <= bins) starts[i] = sum - own;
  if (threadIdx.x == scan_threads - 1) sums[blockIdx.x] = sum;
}

// One block: the sums of all blocks before each.
extern "C" __global__ void scan_sums(int* __restrict__ sums, int blocks) {
  if constexpr (!is_dynamic) return;
  __shared__ int all;
  int before = 0;
  for (int first = 0; first < blocks; first += scan_threads) {
    const int i = first + static_cast<int>(threadIdx.x);
    const int own = i < blocks ? sums[i] : 0;
    const int sum = before + block_scan(own);
    if (i < blocks) sums[i] = sum - own;
    if (threadIdx.x == scan_threads - 1) all = sum;
    __syncthreads();
    before = all;
    __syncthreads();
  }
}

extern "C" __global__ void add_sums(int* __restrict__ starts, const int* __restrict__ sums, int bins) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (is_dynamic && i <= bins) starts[i] += sums[blockIdx.x];
}

extern "C" __global__ void place_atoms(const float4* __restrict__ atoms, const Place* __restrict__ places,
                                       const int* __restrict__ starts, float4* __restrict__ bins, int nx, int ny,
                                       int nz, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (!is_dynamic || i >= count) return;
  const Place place = places[i];
  if (place.slot < BIN_CAPACITY) bins[starts[place.bin] + place.slot] = located(atoms[i], {nx, ny, nz});
}
