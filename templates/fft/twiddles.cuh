// Roots of unity: from a table, as powers of one of the table's, or computed. The parameters are described in
// kernel.cu.
#pragma once

#include "complex.cuh"

enum class Twiddles { table, powers, sincospi };

constexpr Twiddles twiddles = Twiddles::TWIDDLES;

// The table has the first 2^TABLE_LOG2-th roots, then the first roots of the whole length, as many as lie between two
// of these.
struct Roots {
  const Complex* table;

  // exp(-2 pi i * number / 2^Log2), conjugate for the inverse; 0 <= number < 2^Log2.
  template <int Log2>
  __device__ Complex at(int number) const {
    if constexpr (twiddles == Twiddles::sincospi) {
      // A number below 2^24 is exact as a float, and so is its product with a power of two.
      constexpr float step = (inverse ? 2.0f : -2.0f) / static_cast<float>(1 << Log2);
      Complex root;
      sincospif(static_cast<float>(number) * step, &root.im, &root.re);
      return root;
    } else if constexpr (Log2 <= TABLE_LOG2) {
      return directed(table[number << (TABLE_LOG2 - Log2)]);
    } else {
      constexpr int fine = Log2 - TABLE_LOG2;  // Log2 is the whole length's here
      return directed(table[number >> fine] * table[(1 << TABLE_LOG2) + (number & ((1 << fine) - 1))]);
    }
  }

 private:
  __device__ static Complex directed(Complex root) { return {root.re, inverse ? -root.im : root.im}; }
};

// values[i] *= root^i, where root^i is root number i * first of 2^Log2. Powers are products of two lower ones, about
// half as high each, so that errors grow with the logarithm of i.
template <int Log2, int Count>
__device__ inline void multiply_by_powers(Complex (&values)[Count], const Roots& roots, int first) {
  if constexpr (twiddles == Twiddles::powers) {
    Complex powers[Count];
    powers[1 % Count] = roots.at<Log2>(first);
#pragma unroll
    for (int i = 2; i < Count; ++i) powers[i] = powers[i / 2] * powers[i - i / 2];
#pragma unroll
    for (int i = 1; i < Count; ++i) values[i] = values[i] * powers[i];
  } else {
#pragma unroll
    for (int i = 1; i < Count; ++i) values[i] = values[i] * roots.at<Log2>(first * i);
  }
}
