// What becomes of a product's sums on their way to memory, so that no further kernel has to read them (epilogue
// fusion): D = f(alpha * A * B), of the operands' type, for the variants FUSION but `none`. Everything is computed with
// floats and rounded once.
//
//   bias        f(x) = x + bias[column]
//   bias_relu   f(x) = max(x + bias[column], 0)
//   bias_gelu   f(x) = gelu(x + bias[column]), the approximation by tanh, as cuBLASLt's epilogue has it
//   swiglu      columns of B are a gate and what passes it, in turn: column j of D is silu(x[2j]) * x[2j + 1]
//   residual    f(x) = x + residual[row][column]
//   row_scale   f(x) = x * scale[row]
//
// Sources: Thakkar et al., "CUTLASS" 3 (epilogue fusion); Hendrycks & Gimpel, "Gaussian Error Linear Units" (2016);
// Shazeer, "GLU Variants Improve Transformer" (2020).
#pragma once

#include <warptune/device/fast_math.cuh>

#include "fragments.cuh"
#include "quads.cuh"

using warptune::device::fast_exp2;
using warptune::device::fast_reciprocal;

enum class Fusion { none, bias, bias_relu, bias_gelu, swiglu, residual, row_scale };

constexpr Fusion fusion = Fusion::FUSION;
constexpr bool has_bias = fusion == Fusion::bias || fusion == Fusion::bias_relu || fusion == Fusion::bias_gelu;
constexpr int columns_per_result = fusion == Fusion::swiglu ? 2 : 1;

// Where results go, and what else they depend on. n counts the columns of B.
struct Fused {
  Element* d;
  const float* vector;      // bias of n columns (aligned to 8 bytes), or scale of m rows
  const Element* residual;  // m x n
  int m;
  int n;
  float alpha;

  __device__ bool reads_rows() const { return fusion == Fusion::residual; }
  __device__ const Element* rows() const { return residual; }
};

// Of one row, 32 columns that four neighbouring lanes (a quad) hold: lane t has of each eight numbers 2t and 2t + 1.
// Two halves of four are worked on at once.
using Span = float[2][4];

constexpr float log2_e = 1.4426950408889634f;

// x[i] / (1 + 2^y[i]). A multiprocessor computes exponentials and reciprocals for four lanes a cycle: four numbers
// share the reciprocal of their denominators' product, which no exponent up to 30 lets overflow. Beyond it x[i] times
// 2^-30 stands for less.
__device__ inline void divide_by_one_plus_exp2(float (&x)[4], const float (&y)[4]) {
  float below[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) below[i] = 1.0f + fast_exp2(fminf(y[i], 30.0f));
  const float first = below[0] * below[1], second = below[2] * below[3];
  const float inverse = fast_reciprocal(first * second);
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] *= below[i ^ 1] * ((i < 2 ? second : first) * inverse);
}

// x / 2 * (1 + tanh(u)) with u = sqrt(2 / pi) * (x + 0.044715 * x^3) is x / (1 + exp(-2 * u)).
__device__ inline void gelu(float (&x)[4]) {
  constexpr float scale = -1.5957691216057308f * log2_e;
  float y[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) y[i] = x[i] * (scale + scale * 0.044715f * (x[i] * x[i]));
  divide_by_one_plus_exp2(x, y);
}

// The product with the gate's silu, x / (1 + exp(-x)).
__device__ inline void pass_gates(float (&x)[4], const float (&gates)[4]) {
  float y[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    x[i] *= gates[i];
    y[i] = -log2_e * gates[i];
  }
  divide_by_one_plus_exp2(x, y);
}

// A bias is read once for all rows of a span, in pairs where rows have whole ones.
__device__ inline void read_bias(Span& bias, const Fused& to, int column) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int mine = column + i * 8 + lane_of_warp() % 4 * 2;
    float2 pair{};
    if constexpr (has_bias && D_ALIGNED >= 2) {
      if (mine < to.n) pair = __ldg(reinterpret_cast<const float2*>(to.vector + mine));
    } else if constexpr (has_bias) {
      if (mine < to.n) pair.x = __ldg(to.vector + mine);
      if (mine + 1 < to.n) pair.y = __ldg(to.vector + mine + 1);
    }
    bias[i / 2][i % 2 * 2] = pair.x;
    bias[i / 2][i % 2 * 2 + 1] = pair.y;
  }
}

__device__ inline float scale_of(const Fused& to, int row) {
  return fusion == Fusion::row_scale && row < to.m ? __ldg(to.vector + row) : 1.0f;
}

// alpha times four sums, with the bias or scale of each.
__device__ inline void fuse(float (&sums)[4], float alpha, const float (&bias)[4], const float (&scale)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    sums[i] = has_bias ? alpha * sums[i] + bias[i] : alpha * sums[i] * scale[i];
    if constexpr (fusion == Fusion::bias_relu && element_bytes == 4) sums[i] = fmaxf(sums[i], 0.0f);
  }
  if constexpr (fusion == Fusion::bias_gelu) gelu(sums);
}

template <int Count>
using Words = Run<Element, Count, D_ALIGNED>;

// The row's elements from a span's first on.
struct Target {
  long long offset;
  int left;  // columns to the end of the row; none of a row outside
};

__device__ inline Target target_of(const Fused& to, int row, int column) {
  const int columns = to.n / columns_per_result;
  const int first = column / columns_per_result;
  return {static_cast<long long>(row) * columns + first, row < to.m ? columns - first : 0};
}

// Adds 16 bytes of the residual that each lane of a quad has read, for the pairs that the lanes hold.
__device__ inline void add_neighbours(Span& values, unsigned (&words)[4]) {
  exchange_in_quad(words);
#pragma unroll
  for (int i = 0; i < 8; ++i)
    values[i / 4][i % 4] += value_of_bits<format>(i % 2 == 0 ? words[i / 2] & 0xffff : words[i / 2] >> 16);
}

// 16 bits: lanes exchange their pairs, so that each has eight neighbours.
__device__ inline void add_residual(Span& values, const Fused& to, const Target& at) {
  const int t = lane_of_warp() % 4;
  if constexpr (element_bytes == 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      unsigned words[2];
      Words<2>::read(words, to.residual + at.offset + i * 8 + t * 2, at.left - i * 8 - t * 2);
      for (int j = 0; j < 2; ++j) values[i / 2][i % 2 * 2 + j] += __uint_as_float(words[j]);
    }
  } else {
    unsigned words[4];
    Words<4>::read(words, to.residual + at.offset + t * 8, at.left - t * 8);
    add_neighbours(values, words);
  }
}

// A span's 16-bit results, as pairs; one instruction rounds and rectifies them.
__device__ inline void pack_span(unsigned (&words)[4], const Span& values) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    words[i] = packed<format, fusion == Fusion::bias_relu>(values[i / 2][i % 2 * 2], values[i / 2][i % 2 * 2 + 1]);
}

__device__ inline void write_columns(const Span& values, const Fused& to, const Target& at) {
  const int t = lane_of_warp() % 4;
  if constexpr (element_bytes == 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float* pair = values[i / 2] + i % 2 * 2;
      const unsigned words[2] = {__float_as_uint(pair[0]), __float_as_uint(pair[1])};
      Words<2>::write(to.d + at.offset + i * 8 + t * 2, words, at.left - i * 8 - t * 2);
    }
  } else {
    unsigned words[4];
    pack_span(words, values);
    exchange_in_quad(words);
    Words<4>::write(to.d + at.offset + t * 8, words, at.left - t * 8);
  }
}

// A span's 32 columns are 16 of D: each lane gets four neighbours.
__device__ inline void write_gated(const Span& values, const Fused& to, const Target& at) {
  float gates[4], passed[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    gates[i] = values[i / 2][i % 2 * 2];
    passed[i] = values[i / 2][i % 2 * 2 + 1];
  }
  pass_gates(passed, gates);
  unsigned words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) words[i] = __float_as_uint(passed[i]);
  exchange_in_quad(words);
  const int first = lane_of_warp() % 4 * 4;
  if constexpr (element_bytes == 4) {
    Words<4>::write(to.d + at.offset + first, words, at.left - first);
  } else {
    unsigned pairs[2];
#pragma unroll
    for (int i = 0; i < 2; ++i)
      pairs[i] = packed<format>(__uint_as_float(words[2 * i]), __uint_as_float(words[2 * i + 1]));
    Words<2>::write(to.d + at.offset + first, pairs, at.left - first);
  }
}

__device__ inline void write_span(Span& values, const Fused& to, const Span& bias, int row, int column) {
  const Target at = target_of(to, row, column);
  const float scale = scale_of(to, row);
#pragma unroll
  for (int i = 0; i < 2; ++i) fuse(values[i], to.alpha, bias[i], {scale, scale, scale, scale});
  if constexpr (fusion == Fusion::residual) add_residual(values, to, at);
  if constexpr (fusion == Fusion::swiglu) {
    write_gated(values, to, at);
  } else {
    write_columns(values, to, at);
  }
}

// Sums of Down tiles of 16 x 8 * Across below each other, `apart` rows from one to the next: `sum(i, j, l)` is number l
// of the lane's four in tile i, eight columns j. at: the first tile's first element.
template <int Down, int Across, class SumOf>
__device__ inline void write_fused(const Fused& to, Place at, int apart, const SumOf& sum) {
  static_assert(Across % 4 == 0, "a span is four tiles of eight columns");
#pragma unroll
  for (int first = 0; first < Across; first += 4) {
    Span bias;
    read_bias(bias, to, at.column + first * 8);
#pragma unroll
    for (int line = 0; line < 2 * Down; ++line) {
      Span values;
#pragma unroll
      for (int i = 0; i < 8; ++i) values[i / 4][i % 4] = sum(line / 2, first + i / 2, line % 2 * 2 + i % 2);
      const int row = at.row + line / 2 * apart + line % 2 * 8 + lane_of_warp() / 4;
      write_span(values, to, bias, row, at.column + first * 8);
    }
  }
}
