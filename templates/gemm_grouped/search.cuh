// Which tile a block works on: tiles are numbered through all experts, and here a number becomes a place. The
// parameters are described in kernel.cu.
#pragma once

#include <warptune/device/warp.cuh>

#include "tiles.cuh"

enum class TileOrder { index, ticket };
enum class GroupSearch { walk, prefix_sums };

constexpr TileOrder tile_order = TileOrder::TILE_ORDER;
constexpr GroupSearch group_search = GroupSearch::GROUP_SEARCH;
constexpr bool persistent = PERSISTENT;

// A tile of D: its first element, the row behind its expert's last, and the expert.
struct ExpertTile {
  Place at;
  int end;
  int expert;
};

// Where the experts' rows begin: one more than there are experts, never decreasing.
struct Experts {
  const int* offsets;
  int count;
  int n;  // columns of D

  __device__ int tiles(int expert) const {
    const int rows = __ldg(offsets + expert + 1) - __ldg(offsets + expert);
    return (rows + TILE_M - 1) / TILE_M * ((n - 1) / TILE_N + 1);
  }
  // Tile `number` of the expert.
  __device__ ExpertTile tile(int expert, int number) const {
    const int first = __ldg(offsets + expert);
    const int end = __ldg(offsets + expert + 1);
    const Place at = tile_of_block(number, end - first, n);
    return {{first + at.row, at.column}, end, expert};
  }
};

// From expert to expert. Numbers asked for never decrease, so that it goes on from where it was.
class Walk {
 public:
  __device__ Walk(const Experts& experts, int*) : experts_(experts) {}

  // False: there is no such tile, and count() is that of all.
  __device__ bool find(int number, ExpertTile& tile) {
    for (; expert_ < experts_.count; ++expert_) {
      const int tiles = experts_.tiles(expert_);
      if (number < before_ + tiles) {
        tile = experts_.tile(expert_, number - before_);
        return true;
      }
      before_ += tiles;
    }
    return false;
  }
  __device__ int count() const { return before_; }

 private:
  const Experts experts_;
  int expert_ = 0;
  int before_ = 0;  // tiles of the experts before it
};

// By the sums of the experts' tiles in shared memory (one more than there are experts).
class Halving {
 public:
  // To be called by a whole warp; other warps may search after a barrier.
  __device__ static void add_up(const Experts& experts, int* starts) {
    int before = 0;
    for (int first = 0; first < experts.count; first += 32) {
      const int expert = first + lane_of_warp();
      const int tiles = expert < experts.count ? experts.tiles(expert) : 0;
      const int sum = warptune::device::warp_inclusive_sum(tiles);
      if (expert < experts.count) starts[expert] = before + sum - tiles;
      before += __shfl_sync(0xffffffffu, sum, 31);
    }
    if (lane_of_warp() == 0) starts[experts.count] = before;
    __syncwarp();
  }

  __device__ Halving(const Experts& experts, int* starts) : experts_(experts), starts_(starts) {}

  // The last expert that begins at or before the tile has it: of those that begin with the same one all but the last
  // have no tiles.
  __device__ bool find(int number, ExpertTile& tile) const {
    if (number >= count()) return false;
    int expert = 0;
    for (int end = experts_.count; expert + 1 < end;) {
      const int middle = (expert + end) / 2;
      (starts_[middle] <= number ? expert : end) = middle;
    }
    tile = experts_.tile(expert, number - starts_[expert]);
    return true;
  }
  __device__ int count() const { return starts_[experts_.count]; }

 private:
  const Experts experts_;
  const int* starts_;
};

template <bool Walks>
struct SearchBy {
  using type = Walk;
};
template <>
struct SearchBy<false> {
  using type = Halving;
};
using Search = typename SearchBy<group_search == GroupSearch::walk>::type;

// By a whole warp, before the first search.
__device__ inline void prepare_search(const Experts& experts, int* starts) {
  if constexpr (group_search == GroupSearch::prefix_sums) Halving::add_up(experts, starts);
}

// The number of a block's next tile; the first is its own.
__device__ inline int number_after(int number, unsigned* tickets) {
  const int blocks = static_cast<int>(gridDim.x);
  if constexpr (tile_order == TileOrder::index) return number + blocks;
  return blocks + static_cast<int>(atomicAdd(tickets, 1u));
}

// After a search that failed. Every tile's block has drawn a ticket once it was done, as many as there are tiles: whose
// ticket is the last leaves zero for the next launch.
__device__ inline void leave_tickets(int number, int count, unsigned* tickets) {
  if constexpr (persistent && tile_order == TileOrder::ticket) {
    if (number - static_cast<int>(gridDim.x) == count - 1) *tickets = 0;
  }
}
