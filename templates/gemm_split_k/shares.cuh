// Equal shares of all tiles' steps along K, one per block, so that every multiprocessor is as busy as the others
// whatever the number of tiles ("stream-K"). A share begins and ends within tiles. The parameters are described in
// kernel.cu.
#pragma once

#include "combine.cuh"
#include "operands.cuh"

// Steps are numbered tile after tile; so are shares, of which the first `longer` are a step longer.
struct Shares {
  int steps_of_tile;
  int shortest;
  int longer;

  __device__ Shares(int steps_of_tile, int steps, int shares)
      : steps_of_tile(steps_of_tile), shortest(steps / shares), longer(steps % shares) {}

  __device__ int first_step(int share) const { return share * shortest + min_of(share, longer); }
  __device__ int share_with(int step) const {
    const int share = step / (shortest + 1);
    return share < longer ? share : longer + (step - longer * (shortest + 1)) / shortest;
  }
  // A share's sums for a tile that it has a part of: only its first and its last tile can be shared.
  __device__ int slot_of(int share, int tile) const {
    return 2 * share + (first_step(share) < tile * steps_of_tile ? 1 : 0);
  }
};

// This block's sums for the tile are complete, or wait for whoever ends last on it.
__device__ inline bool gather_shares(Accumulator& sums, float* workspace, const Shares& shares, int tile) {
  const int first = shares.share_with(tile * shares.steps_of_tile);
  const int last = shares.share_with((tile + 1) * shares.steps_of_tile - 1);
  if (first == last) return true;
  return gather_parts(sums, workspace, &tickets[tile], static_cast<int>(blockIdx.x) - first, last - first + 1,
                      [&](int share) { return shares.slot_of(first + share, tile); });
}

__device__ inline void multiply_share(const float* a, const float* b, const Output& out, float* workspace, int k) {
  const int tiles = ((out.m - 1) / TILE_M + 1) * ((out.n - 1) / TILE_N + 1);
  const int steps = (k - 1) / TILE_K + 1;
  const Shares shares(steps, tiles * steps, static_cast<int>(gridDim.x));
  const int end = shares.first_step(static_cast<int>(blockIdx.x) + 1);
  const Place mine = place_in_block();
  for (int next = shares.first_step(static_cast<int>(blockIdx.x)); next < end;) {
    const int tile = next / steps;
    const int first = next - tile * steps;
    const int last = min_of(steps, first + end - next);
    const Place at = tile_of_block(tile, out.m, out.n);
    Accumulator sums = {};
    multiply_tiled(sums, {a, b, out.m, out.n, k, at, first * TILE_K, min_of(last * TILE_K, k)}, mine);
    const Place target{at.row + mine.row, at.column + mine.column};
    if constexpr (combine == Combine::atomic) {
      add_all(out, sums, target);
    } else {
      if (gather_shares(sums, workspace, shares, tile))
        write_sums(out.c, out.m, out.n, sums, target, out.alpha, out.beta);
    }
    next += last - first;
    wait_for_copies<0>();
    __syncthreads();  // the ring is free for the next tile
  }
}
