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

#include "fragments.cuh"
#include "quads.cuh"

enum class Fusion { none, bias, bias_relu, bias_gelu, swiglu, residual, row_scale };

constexpr Fusion fusion = Fusion::FUSION;
constexpr bool has_bias = fusion == Fusion::bias || fusion == Fusion::bias_relu || fusion == Fusion::bias_gelu;
constexpr int columns_per_result = fusion == Fusion::swiglu ? 2 : 1;

// Where results go, and what else they depend on. n counts the columns of B.
struct Fused {
  Element* d;
  const float* vector;      // bias of n columns, or scale of m rows
  const Element* residual;  // m x n
  int m;
  int n;
  float alpha;

  __device__ bool reads_rows() const { return fusion == Fusion::residual; }
  __device__ const Element* rows() const { return residual; }
};

// Of one row, 32 columns that four neighbouring lanes (a quad) hold: lane t has of each eight numbers 2t and 2t + 1.
using Span = float[4][2];

// x times the logistic function of y. The quotient is 0 where the exponential is very large, as it should be.
__device__ inline float times_logistic(float x, float y) {
  return __fdividef(x, 1.0f + __expf(-y));
}

// x / 2 * (1 + tanh(u)) with u = sqrt(2 / pi) * (x + 0.044715 * x^3) is x times the logistic function of 2u.
__device__ inline float gelu(float x) {
  return times_logistic(x, 1.5957691216057308f * x * (1.0f + 0.044715f * x * x));
}

// A bias is read once for all rows of a span.
__device__ inline void read_bias(Span& bias, const Fused& to, int column) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int mine = column + i / 2 * 8 + lane_of_warp() % 4 * 2 + i % 2;
    bias[i / 2][i % 2] = has_bias && mine < to.n ? __ldg(to.vector + mine) : 0.0f;
  }
}

__device__ inline float scale_of(const Fused& to, int row) {
  return fusion == Fusion::row_scale && row < to.m ? __ldg(to.vector + row) : 1.0f;
}

__device__ inline float fused(float product, float bias, float scale) {
  if constexpr (fusion == Fusion::bias_relu) return fmaxf(product + bias, 0.0f);
  if constexpr (fusion == Fusion::bias_gelu) return gelu(product + bias);
  return has_bias ? product + bias : product * scale;
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

// 16 bits: lanes exchange their pairs, so that each has eight neighbours.
__device__ inline void add_residual(Span& values, const Fused& to, const Target& at) {
  const int t = lane_of_warp() % 4;
  if constexpr (element_bytes == 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      unsigned words[2];
      Words<2>::read(words, to.residual + at.offset + i * 8 + t * 2, at.left - i * 8 - t * 2);
      for (int j = 0; j < 2; ++j) values[i][j] += __uint_as_float(words[j]);
    }
  } else {
    unsigned words[4];
    Words<4>::read(words, to.residual + at.offset + t * 8, at.left - t * 8);
    exchange_in_quad(words);
#pragma unroll
    for (int i = 0; i < 8; ++i)
      values[i / 2][i % 2] += value_of_bits<format>(i % 2 == 0 ? words[i / 2] & 0xffff : words[i / 2] >> 16);
  }
}

__device__ inline void write_columns(const Span& values, const Fused& to, const Target& at) {
  const int t = lane_of_warp() % 4;
  if constexpr (element_bytes == 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned words[2] = {__float_as_uint(values[i][0]), __float_as_uint(values[i][1])};
      Words<2>::write(to.d + at.offset + i * 8 + t * 2, words, at.left - i * 8 - t * 2);
    }
  } else {
    unsigned words[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) words[i] = packed<format>(values[i][0], values[i][1]);
    exchange_in_quad(words);
    Words<4>::write(to.d + at.offset + t * 8, words, at.left - t * 8);
  }
}

// A span's 32 columns are 16 of D: each lane gets four neighbours.
__device__ inline void write_gated(const Span& values, const Fused& to, const Target& at) {
  unsigned words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) words[i] = __float_as_uint(times_logistic(values[i][0], values[i][0]) * values[i][1]);
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
  for (int i = 0; i < 8; ++i) values[i / 2][i % 2] = fused(to.alpha * values[i / 2][i % 2], bias[i / 2][i % 2], scale);
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
      for (int i = 0; i < 8; ++i) values[i / 2][i % 2] = sum(line / 2, first + i / 2, line % 2 * 2 + i % 2);
      const int row = at.row + line / 2 * apart + line % 2 * 8 + lane_of_warp() / 4;
      write_span(values, to, bias, row, at.column + first * 8);
    }
  }
}
