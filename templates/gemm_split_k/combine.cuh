// How the parts of a tile of C come together. The parameters are described in kernel.cu.
#pragma once

#include "output.cuh"

enum class Combine { atomic, two_launches, last_block };
constexpr Combine combine = Combine::COMBINE;

// Parts that other means combine once those of a cluster are one.
constexpr int groups = SPLIT_K / CLUSTER_SIZE;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
constexpr bool has_clusters = true;
#else
constexpr bool has_clusters = false;
#endif

// Neighbours among a thread's sums, which one access moves.
using Run = Pack<run_n>;

// Tickets live in the module: zero when it is loaded, and left at zero by every run, so that none has to begin with
// clearing them, which would take as long as a launch. (Hence one run at a time.)
__device__ unsigned tickets[TICKETS];

// A part in memory lies as threads hold it, neighbours next to each other: its run `number` of this thread.
__device__ inline int place_in_part(int number) {
  return number * threads + static_cast<int>(threadIdx.x);
}

__device__ inline Run* slot(float* workspace, int number) {
  return reinterpret_cast<Run*>(workspace) + static_cast<long long>(number) * (runs * threads);
}

__device__ inline void leave_sums(Run* part, const Accumulator& sums) {
#pragma unroll
  for (int i = 0; i < runs; ++i) part[place_in_part(i)] = pack_of<run_n>(sums_of_run(sums, i));
}

// Whether `count` blocks, this one included, have left their parts. The ticket wraps around to zero at the last.
__device__ inline bool is_last_of(unsigned count, unsigned* ticket) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(ticket, count - 1) == count - 1;
  __syncthreads();
  if (is_last) __threadfence();
  return is_last;
}

// Hopper adds four floats by one instruction.
template <int Width>
__device__ inline void add_run(float* c, const float* sums, float alpha) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (Width == 4) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(c), "f"(alpha * sums[0]), "f"(alpha * sums[1]),
                 "f"(alpha * sums[2]), "f"(alpha * sums[3])
                 : "memory");
    return;
  }
#endif
#pragma unroll
  for (int j = 0; j < Width; ++j) atomicAdd(c + j, alpha * sums[j]);
}

// Where sums go: C and its factors.
struct Output {
  float* c;
  int m;
  int n;
  float alpha;
  float beta;

  __device__ float* at(Place place) const { return c + static_cast<long long>(place.row) * n + place.column; }
  __device__ bool holds(Place place, int beyond) const { return place.row < m && place.column + beyond < n; }
};

__device__ inline void add_to(const Output& out, const Run& sums, Place place) {
  if constexpr (C_ALIGNED) {
    if (out.holds(place, 0)) add_run<run_n>(out.at(place), sums.at, out.alpha);
  } else {
#pragma unroll
    for (int l = 0; l < run_n; ++l) {
      if (out.holds(place, l)) add_run<1>(out.at(place) + l, sums.at + l, out.alpha);
    }
  }
}

__device__ inline Run read_from(const Output& out, Place place) {
  Run old{};
  if constexpr (C_ALIGNED) {
    if (out.holds(place, 0)) old = read_run<run_n>(out.at(place), out.beta);
  } else {
#pragma unroll
    for (int l = 0; l < run_n; ++l) {
      if (out.holds(place, l)) old.at[l] = read_run<1>(out.at(place) + l, out.beta).at[0];
    }
  }
  return old;
}

__device__ inline void write_to(const Output& out, const Run& sums, const Run& old, Place place) {
  if constexpr (C_ALIGNED) {
    if (out.holds(place, 0)) write_run<run_n>(out.at(place), sums.at, old, out.alpha, out.beta);
  } else {
#pragma unroll
    for (int l = 0; l < run_n; ++l) {
      if (out.holds(place, l)) write_run<1>(out.at(place) + l, sums.at + l, {{old.at[l]}}, out.alpha, out.beta);
    }
  }
}

__device__ inline void add_all(const Output& out, const Accumulator& sums, Place target) {
#pragma unroll
  for (int i = 0; i < runs; ++i) add_to(out, pack_of<run_n>(sums_of_run(sums, i)), place_of_run(target, i));
}

// Leaves part `mine` of `count` for whoever ends last on the tile. True for that block, whose sums then hold all parts.
// slot_of says where in the workspace each part lies.
template <class SlotOf>
__device__ inline bool gather_parts(Accumulator& sums, float* workspace, unsigned* ticket, int mine, int count,
                                    const SlotOf& slot_of) {
  leave_sums(slot(workspace, slot_of(mine)), sums);
  if (!is_last_of(static_cast<unsigned>(count), ticket)) return false;
  for (int other = 0; other < count; ++other) {
    if (other == mine) continue;
    const Run* theirs = slot(workspace, slot_of(other));
#pragma unroll
    for (int i = 0; i < runs; ++i) {
      const Run run = theirs[place_in_part(i)];
#pragma unroll
      for (int l = 0; l < run_n; ++l) sums[i / runs_per_row][i % runs_per_row * run_n + l] += run.at[l];
    }
  }
  return true;
}
