// The device headers of tensor cores and of attention's scores, on the host backend, where they are emulated.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/tuner/device/backends/host/host_fixture.h"

namespace warptune::tuner::host {
namespace {

// A small whole number as a bfloat16, exactly.
unsigned short bfloat16_of(int number) {
  return static_cast<unsigned short>(std::bit_cast<unsigned>(static_cast<float>(number)) >> 16);
}

// a: 16 x 16 and b: 16 x 8 elements of -5 to 5, row-major, by a warp: fragments as the header says that lanes hold
// them.
TEST(DeviceMma, MultipliesFragmentsFromSharedMemory) {
  auto module = build(request(R"(
    #include <warptune/device/mma16.cuh>
    using namespace warptune::device;
    constexpr NumberFormat format = NumberFormat::bfloat16;
    __global__ void k(const unsigned short* a, const unsigned short* b, float* c) {
      __shared__ __align__(16) unsigned short tile[16 * 16 + 16 * 16];
      for (int i = threadIdx.x; i < 256; i += 32) tile[i] = a[i];
      for (int i = threadIdx.x; i < 128; i += 32) tile[256 + i / 8 * 16 + i % 8] = b[i];
      for (int i = threadIdx.x; i < 128; i += 32) tile[256 + i / 8 * 16 + 8 + i % 8] = 0;
      __syncwarp();
      unsigned left[4], right[4];
      const int row = threadIdx.x % 16, column = threadIdx.x / 16 * 8;
      load_matrices<false>(left, tile + row * 16 + column);
      load_matrices<true>(right, tile + 256 + row * 16 + column);
      float sums[4] = {1.0f, 1.0f, 1.0f, 1.0f};
      multiply_add<format>(sums, left_operand<format>(left), right_operand<format>(right[0], right[1]));
      for (int i = 0; i < 4; ++i) c[(threadIdx.x / 4 + i / 2 * 8) * 8 + threadIdx.x % 4 * 2 + i % 2] = sums[i];
    }
  )",
                              {"k"}));
  std::vector<int> a(256), b(128);
  for (int i = 0; i < 256; ++i) a[static_cast<std::size_t>(i)] = i * i % 11 - 5;
  for (int i = 0; i < 128; ++i) b[static_cast<std::size_t>(i)] = i * 7 % 11 - 5;
  std::vector<unsigned short> a_bits, b_bits;
  for (const int number : a) a_bits.push_back(bfloat16_of(number));
  for (const int number : b) b_bits.push_back(bfloat16_of(number));
  const Buffer<unsigned short> of_a(a_bits), of_b(b_bits);
  const Buffer<float> of_c(128);
  launch(*module, "k", {{1}, {32}}, static_cast<const unsigned short*>(of_a.get()),
         static_cast<const unsigned short*>(of_b.get()), of_c.get());
  const std::vector<float> c = of_c.read();
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      int sum = 1;
      for (std::size_t k = 0; k < 16; ++k) sum += a[row * 16 + k] * b[k * 8 + column];
      EXPECT_EQ(c[row * 8 + column], static_cast<float>(sum)) << row << ", " << column;
    }
}

// Two tiles of eight keys for 16 rows; the second has larger scores for some rows, and none for the last.
TEST(DeviceMma, ScoresBecomeExponentialsUnderARunningMaximum) {
  auto module = build(request(R"(
    #include <warptune/device/score_fragments.cuh>
    using namespace warptune::device;
    __global__ void k(const float* in, float* maxima, float* sums, float* outputs) {
      ScoreRows rows;
      float output[4] = {};
      for (int tile = 0; tile < 2; ++tile) {
        float scores[4], shrink[2];
        for (int i = 0; i < 4; ++i)
          scores[i] = in[(threadIdx.x / 4 + i / 2 * 8) * 16 + tile * 8 + threadIdx.x % 4 * 2 + i % 2];
        exponentiate(scores, rows, shrink, 0.5f);
        shrink_outputs(output, shrink);
        for (int i = 0; i < 4; ++i) output[i] += scores[i];
      }
      for (int h = 0; h < 2; ++h) {
        const int row = threadIdx.x / 4 + 8 * h;
        maxima[row] = rows.maximum[h];
        atomicAdd(sums + row, rows.sum[h]);
        atomicAdd(outputs + row, output[2 * h] + output[2 * h + 1]);
      }
    }
  )",
                              {"k"}));
  std::vector<float> scores(256);
  for (std::size_t i = 0; i < 256; ++i)
    scores[i] =
        i >= 248 ? -INFINITY : static_cast<float>(i * 31 % 23) / 4.0f + (i % 16 >= 8 && i / 16 % 3 == 0 ? 6 : 0);
  const Buffer<float> in(scores), maxima(16), sums(std::vector<float>(16)), outputs(std::vector<float>(16));
  launch(*module, "k", {{1}, {32}}, static_cast<const float*>(in.get()), maxima.get(), sums.get(), outputs.get());
  for (std::size_t row = 0; row < 16; ++row) {
    const float maximum = *std::max_element(&scores[row * 16], &scores[row * 16] + 16);
    float sum = 0.0f;
    for (std::size_t i = 0; i < 16; ++i) sum += std::exp2((scores[row * 16 + i] - maximum) * 0.5f);
    EXPECT_EQ(maxima.read()[row], maximum) << row;
    EXPECT_NEAR(sums.read()[row], sum, 1e-5f * sum) << row;
    EXPECT_NEAR(outputs.read()[row], sum, 1e-5f * sum) << row;
  }
}

// A row without any key so far has neither a sum nor a NaN, and begins with whatever comes.
TEST(DeviceMma, ARowOfNothingButMaskedScoresHasNoSum) {
  auto module = build(request(R"(
    #include <warptune/device/score_fragments.cuh>
    using namespace warptune::device;
    __global__ void k(float* sums) {
      ScoreRows rows;
      for (int tile = 0; tile < 2; ++tile) {
        float scores[4], shrink[2];
        for (float& score : scores) score = tile == 0 ? __uint_as_float(0xff800000u) : 3.0f;
        exponentiate(scores, rows, shrink, 1.0f);
        sums[2 * threadIdx.x + tile] = rows.sum[0];
      }
    }
  )",
                              {"k"}));
  const Buffer<float> sums(64);
  launch(*module, "k", {{1}, {32}}, sums.get());
  const std::vector<float> result = sums.read();
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[2 * i], 0.0f);
    EXPECT_EQ(result[2 * i + 1], 2.0f);  // of this lane's two keys
  }
}

// Four lanes with four words each: a transposed matrix.
TEST(DeviceMma, WordsOfNeighboursAreTransposed) {
  auto module = build(request(R"(
    #include <warptune/device/score_fragments.cuh>
    __global__ void k(unsigned* out) {
      unsigned words[4];
      for (unsigned i = 0; i < 4; ++i) words[i] = 4 * (threadIdx.x % 4) + i;
      warptune::device::transpose_words(words);
      for (unsigned i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = words[i];
    }
  )",
                              {"k"}));
  const Buffer<unsigned> out(128);
  launch(*module, "k", {{1}, {32}}, out.get());
  const std::vector<unsigned> result = out.read();
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(result[4 * lane + i], 4 * i + lane % 4);
}

}  // namespace
}  // namespace warptune::tuner::host
