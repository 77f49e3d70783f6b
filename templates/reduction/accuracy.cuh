// Sums with smaller rounding errors than one addition after another, whose error may grow with their number.
#pragma once

#include "ladder.cuh"

// Kahan (1965): what an addition rounds off is remembered, and subtracted from the next term. The error does not grow
// with the number of terms.
class KahanSum {
 public:
  __device__ void add(float value) {
    const float corrected = value - correction_;
    const float sum = sum_ + corrected;
    correction_ = (sum - sum_) - corrected;
    sum_ = sum;
  }
  template <int Count>
  __device__ void add_all(const float (&values)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) add(values[i]);
  }
  __device__ float total() const {
    return sum_;
  }

 private:
  float sum_ = 0.0f;
  float correction_ = 0.0f;
};

// Pairwise: two terms make a pair, two pairs a group of four ..., as in a tree, so that the error grows with the
// logarithm of their number. The sums that wait for their partner are the bits of a counter (Higham, "The Accuracy of
// Floating Point Summation", SIAM J. Sci. Comput. 1993).
class PairwiseSum {
 public:
  __device__ void add(float value) {
    int level = 0;
    for (; (count_ >> level & 1) != 0; ++level) value += waiting_[level];
    waiting_[level] = value;
    ++count_;
  }
  // A power of two of terms make their pairs in registers.
  template <int Count>
  __device__ void add_all(const float (&values)[Count]) {
    add(tree<Count>(values));
  }
  __device__ float total() const {
    float sum = 0.0f;
    for (int level = 0; count_ >> level != 0; ++level) {
      if ((count_ >> level & 1) != 0) sum += waiting_[level];
    }
    return sum;
  }

 private:
  template <int Count>
  __device__ static float tree(const float* values) {
    if constexpr (Count == 1) {
      return values[0];
    } else {
      return tree<Count / 2>(values) + tree<Count / 2>(values + Count / 2);
    }
  }

  float waiting_[31];  // `count_` never reaches 2^31
  unsigned count_ = 0;
};

class PlainSum {
 public:
  __device__ void add(float value) { sum_ += value; }
  __device__ float total() const { return sum_; }

 private:
  float sum_ = 0.0f;
};

enum class Sum { plain, pairwise, kahan, kahan_blocks, ordered };
constexpr Sum sum_kind = Sum::SUM;

// How a thread adds what it reads, for each kind of sum: elements of the input, and sums of blocks.
template <Sum Kind>
struct Adds {
  using Elements = PlainSum;
  using BlockSums = PlainSum;
};
template <>
struct Adds<Sum::pairwise> {
  using Elements = PairwiseSum;
  using BlockSums = PairwiseSum;
};
template <>
struct Adds<Sum::kahan> {
  using Elements = KahanSum;
  using BlockSums = KahanSum;
};
template <>
struct Adds<Sum::kahan_blocks> {
  using Elements = PlainSum;
  using BlockSums = KahanSum;
};

// Puts the block's floats in the order of their magnitudes, by a bitonic network.
__device__ inline void sort_by_magnitude(float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int length = 2; length <= BLOCK_SIZE; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      const int partner = thread ^ distance;
      if (partner > thread) {
        const float mine = sums[thread];
        const float other = sums[partner];
        const bool ascending = (thread & length) == 0;
        if ((fabsf(mine) > fabsf(other)) == ascending) {
          sums[thread] = other;
          sums[partner] = mine;
        }
      }
      __syncthreads();
    }
  }
}

// The smallest meet first: an addition of like magnitudes rounds little off.
__device__ inline void ordered_tree(float* sums) {
  sort_by_magnitude(sums);
  interleaved_tree(sums);
}
