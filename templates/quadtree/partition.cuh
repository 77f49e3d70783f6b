// A block moves a node's points to its quadrants, in their order: that makes the tree the same in every run.
#pragma once

constexpr int warps = BLOCK_SIZE / 32;

// Where each warp's points of each quadrant go, and where the quadrants end.
struct Split {
  unsigned places[4][warps];
  unsigned ends[4];
};

// A point: 16 bits of x, 16 of y, 32 of its number.
__device__ inline unsigned long long pack(float x, float y, unsigned index) {
  const int column = min(max(static_cast<int>(x * 65536.0f), 0), 65535);
  const int row = min(max(static_cast<int>(y * 65536.0f), 0), 65535);
  return static_cast<unsigned long long>(column) << 48 | static_cast<unsigned long long>(row) << 32 | index;
}

__device__ inline unsigned index_of(unsigned long long point) {
  return static_cast<unsigned>(point);
}

// Bit 0: right of the middle; bit 1: below it.
__device__ inline int quadrant_of(unsigned long long point, int depth) {
  return static_cast<int>(point >> (63 - depth) & 1) | static_cast<int>(point >> (47 - depth) & 1) << 1;
}

// The threads of this warp whose point lies in each quadrant; threads without a point are in none.
struct Votes {
  unsigned right, below, there;

  __device__ Votes(int quadrant, bool has_point)
      : right(__ballot_sync(0xffffffff, quadrant & 1)),
        below(__ballot_sync(0xffffffff, quadrant & 2)),
        there(__ballot_sync(0xffffffff, has_point)) {}
  __device__ unsigned in(int quadrant) const {
    return there & (quadrant & 1 ? right : ~right) & (quadrant & 2 ? below : ~below);
  }
};

// Each warp's part of the node, whole rounds of 32 points.
struct Share {
  unsigned begin, end;
};

__device__ inline Share share_of(unsigned begin, unsigned end, int warp) {
  const unsigned rounds = (end - begin + 32 * warps - 1) / (32 * warps);
  const unsigned first = begin + warp * rounds * 32;
  return {min(first, end), min(first + rounds * 32, end)};
}

__device__ inline void count_points(const unsigned long long* from, Share share, int depth, Split& split) {
  const unsigned lane = threadIdx.x % 32;
  unsigned counts[4] = {0, 0, 0, 0};
  for (unsigned i = share.begin; i < share.end; i += 32) {
    const bool has_point = i + lane < share.end;
    const Votes votes(has_point ? quadrant_of(from[i + lane], depth) : 0, has_point);
#pragma unroll
    for (int quadrant = 0; quadrant < 4; ++quadrant) counts[quadrant] += __popc(votes.in(quadrant));
  }
#pragma unroll
  for (int quadrant = 0; quadrant < 4; ++quadrant)
    if (lane == 0) split.places[quadrant][threadIdx.x / 32] = counts[quadrant];
}

// From how many there are to where they go: all before it in the order of quadrants, then of warps.
__device__ inline void add_up(unsigned begin, Split& split) {
  const int mine = threadIdx.x;
  unsigned place = begin, count = 0;
  if (mine < 4 * warps) {
    for (int i = 0; i < mine; ++i) place += split.places[i / warps][i % warps];
    count = split.places[mine / warps][mine % warps];
  }
  __syncthreads();
  if (mine < 4 * warps) split.places[mine / warps][mine % warps] = place;
  if (mine < 4 * warps && mine % warps == warps - 1) split.ends[mine / warps] = place + count;
}

__device__ inline void move_points(const unsigned long long* from, unsigned long long* to, Share share, int depth,
                                   const Split& split) {
  const unsigned lane = threadIdx.x % 32;
  unsigned places[4];
#pragma unroll
  for (int quadrant = 0; quadrant < 4; ++quadrant) places[quadrant] = split.places[quadrant][threadIdx.x / 32];
  for (unsigned i = share.begin; i < share.end; i += 32) {
    const bool has_point = i + lane < share.end;
    const unsigned long long point = has_point ? from[i + lane] : 0;
    const int own = has_point ? quadrant_of(point, depth) : 0;
    const Votes votes(own, has_point);
#pragma unroll
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      const unsigned same = votes.in(quadrant);
      if (has_point && own == quadrant) to[places[quadrant] + __popc(same & ((1u << lane) - 1))] = point;
      places[quadrant] += __popc(same);
    }
  }
}

// from[begin … end) to the same range of `to`, by quadrants; all threads of the block.
__device__ inline void partition(const unsigned long long* from, unsigned long long* to, unsigned begin, unsigned end,
                                 int depth, Split& split) {
  const Share share = share_of(begin, end, threadIdx.x / 32);
  count_points(from, share, depth, split);
  __syncthreads();
  add_up(begin, split);
  __syncthreads();
  move_points(from, to, share, depth, split);
}
