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
  whole,       // as whole tiles, for which some blocks have none
  split,       // as equal shares of all blocks, after the whole tiles
  split_first  // the same before them
};

constexpr LastWave last_wave = LastWave::LAST_WAVE;
constexpr bool splitting = last_wave != LastWave::whole;

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

// The first tiles of C, which are split. Their pairs are counted from tile to tile; so are the shares, of which the
// first `longer` are a pair longer.
struct Shares {
  int tiles;
  int pairs;  // of each
  int shortest;
  int longer;

  __device__ explicit Shares(const Tiles& all) : pairs(all.pairs()) {
    const int count = anew(clusters());
    tiles = all.count() % count;
    shortest = tiles * pairs / count;
    longer = tiles * pairs % count;
  }

  // Where a cluster's share begins, and the one before it ends.
  __device__ int begin(int cluster) const { return cluster * shortest + min_of(cluster, longer); }
};

__device__ inline bool ends(const Tiles& tiles, const Part& part) {
  return part.first + part.count == tiles.pairs();
}

// The parts of a cluster in their order; of a warpgroup, if they take turns: every `groups`-th one.
class Agenda {
 public:
  __device__ Agenda(const Tiles& tiles, int group, int groups)
      : tiles_(tiles), tile_(cluster_of_block() + group * clusters()), groups_(groups) {
    if constexpr (splitting) {
      const Shares shares(tiles);
      tile_ += shares.tiles;
      end_ = shares.begin(cluster_of_block() + 1);
    }
  }

  __device__ bool next(Part& part) {
    if (last_wave == LastWave::split_first && next_of_share(part)) return true;
    if (tile_ < tiles_.count()) {
      part = {tile_, 0, tiles_.pairs()};
      tile_ += groups_ * clusters();
      return true;
    }
    return last_wave == LastWave::split && next_of_share(part);
  }

 private:
  // From the share's end on: the unfinished part, if there is one, comes first.
  __device__ bool next_of_share(Part& part) {
    if (end_ == 0) return false;
    const Shares shares(tiles_);
    const int begin = shares.begin(cluster_of_block());
    if (begin == end_) return false;
    const int tile = (end_ - 1) / shares.pairs;
    const int first = max_of(begin, tile * shares.pairs);
    part = {tile, first - tile * shares.pairs, end_ - first};
    end_ = first == begin ? 0 : first;
    return true;
  }

  const Tiles& tiles_;
  int tile_;
  int groups_;
  int end_ = 0;  // of what is left of the share; 0: nothing
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
  __threadfence();
  __syncwarp();
  if (lane_of_warp() == 0) published_by(block) = 1;
}

template <int Pieces, int Count>
__device__ inline void add_sums(float (&sums)[Pieces][Count], float* workspace, int block) {
  if (lane_of_warp() == 0) {
    while (published_by(block) == 0) __nanosleep(0);
    published_by(block) = 0;
  }
  __syncwarp();
  __threadfence();
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

// Adds the parts that the clusters before this one have of a tile that it ends.
template <int Pieces, int Count>
__device__ inline void add_parts(float (&sums)[Pieces][Count], float* workspace, const Tiles& tiles, const Part& part) {
  if (part.first == 0) return;
  const Shares shares(tiles);
  const int begin = part.tile * shares.pairs;
  int end = begin + part.first;
#pragma unroll 1
  for (int cluster = cluster_of_block() - 1; end > begin; --cluster) {
    const int first = shares.begin(cluster);
    if (first < end) add_sums(sums, workspace, cluster * CLUSTER_SIZE + rank_in_cluster());
    end = first;
  }
}
