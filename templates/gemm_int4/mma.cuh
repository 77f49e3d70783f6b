// The product by warps. Weights are the left operand of a multiplication and A the right one, so that few rows of A
// waste little: D comes out transposed, in registers. The parameters are described in kernel.cu.
//
// A word has eight weights along K. So a lane takes those k for its own that one word has: lane 4 * g + t of a slab of
// 32 x 32 weights reads the words 8t to 8t + 7 of columns 4g to 4g + 3 at once, and the same eight elements of a row of
// A. Which k a lane stands for makes no difference to a sum, as long as both operands agree.
#pragma once

#include "dequantise.cuh"
#include "output.cuh"
#include "stage.cuh"

using Left = warptune::device::LeftOperand<format>;
using Right = warptune::device::RightOperand<format>;
using Words = warptune::device::Pack<unsigned, 4>;

constexpr int slab = 32;                    // columns and depth of what four words of each lane cover
constexpr int slice_k = TILE_K / SLICED_K;  // a warp's share of a tile's depth
constexpr int unit_k = min_of(slice_k, group_k);
constexpr int slabs_n = WARP_N / slab;
constexpr int tiles_m = WARP_M / 8;

// Of a slab's columns 4g and 4g + 1 the first two fragments of 16 x 8 have the rows g and g + 8, of the next two the
// other; columns are rows of A.
using Sums = float[slabs_n][2][tiles_m][4];

// Where in a tile a warp works.
struct Part {
  Place at;
  int slice;
};
__device__ inline Part part_of_warp() {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int within = warp % (warps_m * warps_n);
  return {{within / warps_n * WARP_M, within % warps_n * WARP_N}, warp / (warps_m * warps_n)};
}

// Elements 2i and 2i + 1 become i and i + 4: the two that a word's shift brings to the last bits of its halves.
__device__ inline void split_pairs(unsigned (&pairs)[4], const Words& neighbours) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    pairs[2 * i] = chosen_bytes(neighbours.at[i], neighbours.at[i + 2], 0x5410);
    pairs[2 * i + 1] = chosen_bytes(neighbours.at[i], neighbours.at[i + 2], 0x7632);
  }
}

// Scales and zero points of a lane's columns in one group.
struct Groups {
  Group of[slabs_n][4];

  __device__ void read(Stage stage, int row, int column) {
#pragma unroll
    for (int j = 0; j < slabs_n; ++j) {
      const int first = column + j * slab + lane_of_thread() / 4 * 4;
      const auto scales = *reinterpret_cast<const warptune::device::Pack<Element, 4>*>(
          stage.scales() + row * RowsOfScales::row_bytes + first * 2);
      unsigned zeros = 0;
      if constexpr (zero_points == ZeroPoints::groups) {
        zeros = *reinterpret_cast<const unsigned short*>(stage.zeros() + row * RowsOfZeros::row_bytes + first / 2);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        of[j][i] = group_of(zero_points == ZeroPoints::groups ? zeros >> 4 * i & 15u : middle, scales.at[i]);
      }
    }
  }
};

__device__ inline void read_right(Right (&right)[tiles_m][2], Stage stage, int row, int k) {
#pragma unroll
  for (int i = 0; i < tiles_m; ++i) {
    const int place = place_in_tile<RowsOfA>(row + i * 8 + lane_of_thread() / 4, k / 8 + lane_of_thread() % 4);
    unsigned pairs[4];
    split_pairs(pairs, *reinterpret_cast<const Words*>(stage.a + place));
    right[i][0] = warptune::device::right_operand<format>(pairs[0], pairs[1]);
    right[i][1] = warptune::device::right_operand<format>(pairs[2], pairs[3]);
  }
}

// Two fragments of neighbouring columns, two steps of 16 each.
__device__ inline void read_left(Left (&left)[2], unsigned upper, unsigned lower, const Group& of_upper,
                                 const Group& of_lower) {
#pragma unroll
  for (int step = 0; step < 2; ++step) {
    const int shift = 8 * step;
    const auto pair = [&](unsigned word, int bits, const Group& group) {
      return scaled(pair_of(word >> bits, group), group);
    };
    const unsigned words[4] = {pair(upper, shift, of_upper), pair(lower, shift, of_lower),
                               pair(upper, shift + 4, of_upper), pair(lower, shift + 4, of_lower)};
    left[step] = warptune::device::left_operand<format>(words);
  }
}

// Sums of A's elements, as a multiplication by ones has them: those of its columns 2t and 2t + 1 come first.
using SumsOfA = float[tiles_m][4];

__device__ inline void add_elements(SumsOfA& sums, const Right (&right)[tiles_m][2]) {
  const unsigned ones[4] = {one_pair, one_pair, one_pair, one_pair};
  const Left left = warptune::device::left_operand<format>(ones);
#pragma unroll
  for (int i = 0; i < 2 * tiles_m; ++i) warptune::device::multiply_add<format>(sums[i / 2], left, right[i / 2][i % 2]);
}

// Adds the products of 32 elements along K, from k on within the tile.
__device__ inline void multiply_slab(Sums& sums, SumsOfA& of_a, Stage stage, Place at, const Groups& groups, int k) {
  Right right[tiles_m][2];
  read_right(right, stage, at.row, k);
  if constexpr (scaling == Scaling::raw) add_elements(of_a, right);
#pragma unroll
  for (int j = 0; j < slabs_n; ++j) {
    const int chunk = (at.column + j * slab) / 4 + lane_of_thread() / 4;
    const int place = place_in_tile<RowsOfWeights>(k / word_k + lane_of_thread() % 4, chunk);
    const Words words = *reinterpret_cast<const Words*>(stage.weights() + place);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Left left[2];
      read_left(left, words.at[2 * half], words.at[2 * half + 1], groups.of[j][2 * half], groups.of[j][2 * half + 1]);
#pragma unroll
      for (int i = 0; i < tiles_m; ++i) {
        warptune::device::multiply_add<format>(sums[j][half][i], left[0], right[i][0]);
        warptune::device::multiply_add<format>(sums[j][half][i], left[1], right[i][1]);
      }
    }
  }
}

// What raw weights are too large by takes with it the sum of A's elements, so often.
__device__ inline void add_scaled(Sums& sums, const Sums& parts, const SumsOfA& of_a, const Groups& groups) {
#pragma unroll
  for (int j = 0; j < slabs_n; ++j) {
#pragma unroll
    for (int l = 0; l < 4; ++l) {
      const Group& group = groups.of[j][l];
      const float factor = group.factor();
      const float excess = static_cast<float>(raw_offset + static_cast<int>(group.zero));
#pragma unroll
      for (int i = 0; i < 2 * tiles_m; ++i) {
        const int number = l % 2 * 2 + i % 2;
        float part = parts[j][l / 2][i / 2][number];
        if constexpr (scaling == Scaling::raw) part -= excess * of_a[i / 2][i % 2];
        sums[j][l / 2][i / 2][number] += factor * part;
      }
    }
  }
}

// A warp's slice of a stage, group by group.
__device__ inline void multiply_slice(Sums& sums, Stage stage, const Part& mine) {
#pragma unroll
  for (int unit = 0; unit < slice_k; unit += unit_k) {
    const int first = mine.slice * slice_k + unit;
    Groups groups;
    groups.read(stage, first / group_k, mine.at.column);
    SumsOfA of_a = {};
    if constexpr (scaling == Scaling::weights) {
#pragma unroll
      for (int k = 0; k < unit_k; k += slab) multiply_slab(sums, of_a, stage, mine.at, groups, first + k);
    } else {
      Sums parts = {};
#pragma unroll
      for (int k = 0; k < unit_k; k += slab) multiply_slab(parts, of_a, stage, mine.at, groups, first + k);
      add_scaled(sums, parts, of_a, groups);
    }
  }
}

// Adds up what the slices of the tile's depth have, half of them to the other half, through shared memory.
__device__ inline void add_slices(Sums& sums, const Part& mine, float* shared) {
  constexpr int count = WARP_M * WARP_N / 32;
  constexpr int threads_of_slice = threads / SLICED_K;
  float(&flat)[count] = reinterpret_cast<float(&)[count]>(sums);
  const int thread = static_cast<int>(threadIdx.x) % threads_of_slice;
#pragma unroll
  for (int left = SLICED_K / 2; left > 0; left /= 2) {
    __syncthreads();
    float* theirs = shared + mine.slice % left * (count * threads_of_slice) + thread;
    if (mine.slice >= left && mine.slice < 2 * left) {
#pragma unroll
      for (int i = 0; i < count; ++i) theirs[i * threads_of_slice] = flat[i];
    }
    __syncthreads();
    if (mine.slice < left) {
#pragma unroll
      for (int i = 0; i < count; ++i) flat[i] += theirs[i * threads_of_slice];
    }
  }
}

// Of each row of A a lane has four neighbouring columns of every slab: write(row, column, sums) gets them.
template <class Write>
__device__ inline void write_sums(const Sums& sums, Place at, const Write& write) {
#pragma unroll
  for (int i = 0; i < 2 * tiles_m; ++i) {
    const int row = at.row + i / 2 * 8 + lane_of_thread() % 4 * 2 + i % 2;
#pragma unroll
    for (int j = 0; j < slabs_n; ++j) {
      const auto of = [&](int half, int down) { return sums[j][half][i / 2][down * 2 + i % 2]; };
      write(row, at.column + j * slab + lane_of_thread() / 4 * 4, Run{{of(0, 0), of(0, 1), of(1, 0), of(1, 1)}});
    }
  }
}

// What becomes of a block's sums, which the warps of its first slice hold.
__device__ inline void combine_parts(const Result& to, const Sums& sums, const Part& mine, Place at, int tile,
                                     int part) {
  const bool has_sums = mine.slice == 0;
  const Place of_warp{at.row + mine.at.row, at.column + mine.at.column};
  if constexpr (SPLIT_K > 1) {
    const auto leave = [&](int row, int column, const Run& four) { write_part(to, part, row, column, four); };
    if (has_sums) write_sums(sums, of_warp, leave);
    if constexpr (combine == Combine::last_block) finish_tile<threads>(to, at, tile);
  } else {
    const auto write = [&](int row, int column, const Run& four) { write_rounded(to, row, column, four); };
    if (has_sums) write_sums(sums, of_warp, write);
  }
}

// A block for each tile of D and part of K; dynamic shared memory for STAGES stages, or half of the slices' sums if
// that is more.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    gemm_int4_mma(const Element* __restrict__ a, const unsigned* __restrict__ weights,
                  const Element* __restrict__ scales, const unsigned* __restrict__ zeros, Element* __restrict__ d,
                  float* parts, unsigned* tickets, int m, int n, int k) {
  extern __shared__ uint4 shared_storage[];
  const Tiles tiles = tiles_of(m, n);
  const int tile = static_cast<int>(blockIdx.x) % tiles.count(), part = static_cast<int>(blockIdx.x) / tiles.count();
  const int steps = (k - 1) / TILE_K + 1;
  const int first = static_cast<int>(static_cast<long long>(part) * steps / SPLIT_K);
  const int end = static_cast<int>(static_cast<long long>(part + 1) * steps / SPLIT_K);
  const Place at = tiles.place(tile);
  const Part mine = part_of_warp();
  Sums sums = {};
  Ring ring(reinterpret_cast<char*>(shared_storage), Sources({a, weights, scales, zeros, m, n, k}, at, first),
            end - first);
  for (int step = first; step < end; ++step) multiply_slice(sums, ring.next(), mine);
  if constexpr (SLICED_K > 1) add_slices(sums, mine, reinterpret_cast<float*>(shared_storage));
  if (OVERLAP) warptune::device::let_next_launch_begin();
  combine_parts({d, parts, tickets, m, n}, sums, mine, at, tile, part);
}
