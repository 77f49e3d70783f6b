// The way of a warpgroup's sums of 16-bit operands to D, span by span of 32 columns, for the variants FUSION but
// `none`. What a span depends on besides its sums is read some spans ahead. EPILOGUE, described in kernel.cu, says how
// results leave: from registers, or as rows through shared memory, which the TMA takes to D while the next tile
// is multiplied.
#pragma once

#include "group_tiles.cuh"

// A warp has spans of each piece's upper and lower eight rows, which follow each other.
constexpr int spans_across = TILE_N / 32;
constexpr int lane_spans = 2 * spans_across * pieces;
constexpr int spans_ahead = min_of(4, lane_spans);
constexpr bool through_shared = output == Output::shared;

// The rows of a piece that a warp hands to the TMA: so far apart that eight of them meet in no bank.
constexpr int row_pitch = TILE_N * element_bytes + 16;
constexpr int strip_bytes = 16 * row_pitch;

// The span's row of this lane, and its first column.
__device__ inline Place place_of_span(Place at, int number) {
  const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
  const int piece = number / (2 * spans_across);
  return {at.row + piece * 64 + warp * 16 + number % 2 * 8 + lane_of_warp() / 4,
          at.column + number / 2 % spans_across * 32};
}

// at: the first element of D that the warpgroup computes.
struct ReadAhead {
  Span bias[lane_spans / 2];
  unsigned residual[lane_spans][4];

  __device__ void read_residual(const Fused& to, Place at, int number) {
    if constexpr (fusion == Fusion::residual) {
      if (number >= lane_spans) return;
      const Place span = place_of_span(at, number);
      const Target target = target_of(to, span.row, span.column);
      const int mine = lane_of_warp() % 4 * 8;
      Words<4>::read(residual[number], to.residual + target.offset + mine, target.left - mine);
    }
  }
  __device__ void read_bias_of(const Fused& to, Place at, int number) {
    if (number < lane_spans) read_bias(bias[number / 2], to, place_of_span(at, number).column);
  }
  __device__ void read(const Fused& to, Place at) {
    read_bias_of(to, at, 0);
#pragma unroll
    for (int i = 0; i < spans_ahead; ++i) read_residual(to, at, i);
  }
};

// A warp's 16 rows of a piece in shared memory, which a copy each takes to D.
struct Strip {
  Window start;

  // Nobody reads what was there before.
  __device__ void clear() const {
    wait_until_read();
    __syncwarp();
  }
  __device__ void put(const Span& values, int number) const {
    unsigned words[4];
    pack_span(words, values);
    const int row = number % 2 * 8 + lane_of_warp() % 8;
    const int byte = number / 2 % spans_across * 64 + lane_of_warp() / 8 * 16;
    store_matrices(start + static_cast<unsigned>(row * row_pitch + byte), words);
  }
  // at: the first element of D in the strip.
  __device__ void send(const Fused& to, Place at) const {
    publish_to_copies();
    __syncwarp();
    const int row = at.row + lane_of_warp();
    if (lane_of_warp() >= 16 || row >= to.m || at.column >= to.n) return;
    copy_bytes_out(to.d + static_cast<long long>(row) * to.n + at.column,
                   start + static_cast<unsigned>(lane_of_warp() * row_pitch),
                   min_of(TILE_N, to.n - at.column) * element_bytes);
  }
};

__device__ inline void write_span(Span& values, const Fused& to, ReadAhead& ahead, const Strip& strip, Place at,
                                  int number) {
  const Place span = place_of_span(at, number);
  const float scale = scale_of(to, span.row);
#pragma unroll
  for (int i = 0; i < 2; ++i) fuse(values[i], to.alpha, ahead.bias[number / 2][i], {scale, scale, scale, scale});
  if constexpr (fusion == Fusion::residual) add_neighbours(values, ahead.residual[number]);
  if constexpr (through_shared) {
    strip.put(values, number);
  } else if constexpr (fusion == Fusion::swiglu) {
    write_gated(values, to, target_of(to, span.row, span.column));
  } else {
    write_columns(values, to, target_of(to, span.row, span.column));
  }
}

// strips: memory for a strip of each warp that multiplies.
__device__ inline void write_tile(const Fused& to, const GroupSums& sums, Place at, ReadAhead& ahead, Window strips) {
  const int warp = (static_cast<int>(threadIdx.x) - warpgroup) / 32;
  const Strip strip{strips + static_cast<unsigned>(warp * strip_bytes)};
#pragma unroll
  for (int number = 0; number < lane_spans; ++number) {
    const int piece = number / (2 * spans_across), first = number / 2 % spans_across * 4;
    if (through_shared && number % (2 * spans_across) == 0) strip.clear();
    if (number % 2 == 0) ahead.read_bias_of(to, at, number + 2);
    ahead.read_residual(to, at, number + spans_ahead);
    Span values;
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i / 4][i % 4] = sums[piece][(first + i / 2) * 4 + number % 2 * 2 + i % 2];
    write_span(values, to, ahead, strip, at, number);
    if (through_shared && (number + 1) % (2 * spans_across) == 0)
      strip.send(to, {at.row + piece * 64 + warp % 4 * 16, at.column});
  }
}
