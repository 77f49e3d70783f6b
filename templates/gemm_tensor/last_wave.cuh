// What each block computes, and in which order (compute capability 9.0): tiles of C one after the other, and with
// LAST_WAVE split also a share of the tiles that do not fill the device once more. Those are cut along K into equal
// shares, one for each cluster of blocks, so that no multiprocessor is idle while the last tiles are computed. A share
// may end within a tile: its sums go to a workspace, and who has the tile's last part adds them to its own.
//
// A block leaves its unfinished part before it waits for any, and waits only for blocks with smaller numbers, which
// have been started before: so blocks never wait for each other in a circle. Parts are added in a fixed order, and
// results are the same bits in every run. Rejected: atomic additions, whose order is not fixed.
//
// Source: Osama et al., "Stream-K: Work-Centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the
// GPU" (PPoPP 2023), the hybrid of whole tiles and one wave of shares.
#pragma once

#include "schedule.cuh"

enum class LastWave {
  whole,  // as whole tiles, for which some blocks have none
  split   // as equal shares of all blocks
};

constexpr LastWave last_wave = LastWave::LAST_WAVE;
constexpr bool splitting = last_wave == LastWave::split;

// Pairs of tiles along K that are multiplied for a tile of C.
struct Part {
  int tile;
  int first;
  int count;
};

// A number that the compiler must not know: what is computed from it takes no registers before.
__device__ inline int anew(int number) {
#ifndef WARPTUNE_HOST
  asm volatile("" : "+r"(number));
#endif
  return number;
}

// Among those that multiply.
__device__ inline int multiplying_thread() {
  return anew(static_cast<int>(threadIdx.x)) - warpgroup;
}

// The first tiles of C, as many as fill whole waves.
__device__ inline int whole_tiles(const Tiles& tiles) {
  const int all = tiles.count();
  return splitting ? all / clusters() * clusters() : all;
}

// Who ends a tile reads all its other parts: many small ones would take longer than the tile does.
constexpr int most_parts = 8;

// The others are split. Their pairs are counted from tile to tile; so are the shares, of which the first `longer` are a
// pair longer. Clusters without a share come last.
struct Shares {
  int first_tile;
  int pairs;  // of each tile
  int count;
  int shortest;
  int longer;

  __device__ explicit Shares(const Tiles& all) : first_tile(whole_tiles(all)), pairs(all.pairs()) {
    const int tiles = all.count() - first_tile;
    count = max_of(1, min_of(anew(clusters()), most_parts * tiles));
    shortest = tiles * pairs / count;
    longer = tiles * pairs % count;
  }

  // Where a cluster's share begins, and the one before it ends.
  __device__ int begin(int cluster) const { return min_of(cluster, count) * shortest + min_of(cluster, longer); }
  __device__ bool ends(const Part& part) const { return part.first + part.count == pairs; }
  // Of a part's tile.
  __device__ int first_pair(const Part& part) const { return (part.tile - first_tile) * pairs; }

  // Calls of_part for a cluster's parts, from the share's end on: an unfinished one comes first.
  template <class OfPart>
  __device__ void for_each_part(int cluster, const OfPart& of_part) const {
    const int first = begin(cluster);
#pragma unroll 1
    for (int end = begin(cluster + 1); end > first;) {
      const int tile = (end - 1) / pairs;
      const int start = max_of(first, tile * pairs);
      of_part({first_tile + tile, start - tile * pairs, end - start});
      end = start;
    }
  }
};

// Whether a warp's sums are in the workspace. Zero when the module is loaded, and left at zero by every run, so that
// none has to begin with clearing them. (Hence one run at a time.)
__device__ unsigned published[PUBLISHED];

// The place of a warp of those that multiply.
__device__ inline volatile unsigned& published_by(int block) {
  return published[block * (CONSUMERS * warpgroup / 32) + multiplying_thread() / 32];
}

// A thread's sums in memory: number i of a block's threads next to each other.
template <int Pieces, int Count>
struct SumsInMemory {
  static constexpr int fours = Pieces * Count / 4;
  static constexpr int threads_of_block = CONSUMERS * warpgroup;

  float4* first;

  __device__ SumsInMemory(float* workspace, int block)
      : first(reinterpret_cast<float4*>(workspace) + static_cast<long long>(block) * fours * threads_of_block +
              multiplying_thread()) {}
  __device__ float4* at(int i) const { return first + i * threads_of_block; }
};

// Leaves an unfinished part's sums for who finishes the tile.
template <int Pieces, int Count>
__device__ inline void leave_sums(const float (&sums)[Pieces][Count], float* workspace) {
  const int block = anew(static_cast<int>(blockIdx.x));
  const SumsInMemory<Pieces, Count> mine(workspace, block);
#pragma unroll
  for (int i = 0; i < mine.fours; ++i) {
    const float(&from)[Count] = sums[i / (Count / 4)];
    const int j = i % (Count / 4) * 4;
    __stcg(mine.at(i), make_float4(from[j], from[j + 1], from[j + 2], from[j + 3]));
  }
  // The warp's stores come before its first lane's fence, which makes them visible before the flag.
  __syncwarp();
  if (lane_of_warp() == 0) {
    __threadfence();
    published_by(block) = 1;
  }
}

template <int Pieces, int Count>
__device__ inline void add_sums(float (&sums)[Pieces][Count], float* workspace, int block) {
  if (lane_of_warp() == 0) {
    while (published_by(block) == 0) __nanosleep(0);
    __threadfence();
    published_by(block) = 0;
  }
  __syncwarp();
  const SumsInMemory<Pieces, Count> theirs(workspace, block);
#pragma unroll
  for (int i = 0; i < theirs.fours; ++i) {
    const float4 four = __ldcg(theirs.at(i));
    float(&to)[Count] = sums[i / (Count / 4)];
    const int j = i % (Count / 4) * 4;
    to[j] += four.x;
    to[j + 1] += four.y;
    to[j + 2] += four.z;
    to[j + 3] += four.w;
  }
}

// Adds the parts that the clusters before this one have of a tile that it ends. The first of them has been there for
// long; while it is read the last one arrives.
template <int Pieces, int Count>
__device__ inline void add_parts(float (&sums)[Pieces][Count], float* workspace, const Shares& shares,
                                 const Part& part) {
  if (part.first == 0) return;
  int cluster = cluster_of_block() - 1;
  while (shares.begin(cluster) > shares.first_pair(part)) --cluster;
#pragma unroll 1
  for (; cluster < cluster_of_block(); ++cluster) add_sums(sums, workspace, cluster * CLUSTER_SIZE + rank_in_cluster());
}
