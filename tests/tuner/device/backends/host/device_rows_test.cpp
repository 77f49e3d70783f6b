// The device headers that work on rows of a matrix, on the host backend.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/tuner/device/backends/host/host_fixture.h"

namespace warptune::tuner::host {
namespace {

// Rows of as many threads as a test asks for: each has its own sum, largest element and first one, in all of its
// threads, row after row. What is not commutative must still see every thread once.
constexpr char row_statistics[] = R"(
  #include <warptune/device/rows.cuh>
  using namespace warptune::device;
  struct Statistics { float sum, largest, count; };
  __global__ void k(const float* in, float* out) {
    for (int round = 0; round < 3; ++round) {
      const int i = round * 128 + threadIdx.x;
      const Statistics all = reduced_over_row<128, threads_per_row>(Statistics{in[i], in[i], 1.0f},
        [](Statistics a, Statistics b) { return Statistics{a.sum + b.sum, fmaxf(a.largest, b.largest), a.count + b.count}; });
      out[i] = all.sum;
      out[384 + i] = all.largest;
      out[768 + i] = all.count;
    }
  }
)";

TEST(DeviceRows, AllThreadsOfARowLearnWhatTheyHaveTogether) {
  std::vector<float> values(384);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 101);
  for (const std::size_t threads :
       {std::size_t{1}, std::size_t{8}, std::size_t{32}, std::size_t{64}, std::size_t{128}}) {
    auto module =
        build(request("constexpr int threads_per_row = " + std::to_string(threads) + ";" + row_statistics, {"k"}));
    const Buffer<float> in(values), out(3 * values.size());
    launch(*module, "k", {{1}, {128}}, static_cast<const float*>(in.get()), out.get());
    const std::vector<float> result = out.read();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(i / threads * threads);
      const auto end = first + static_cast<std::ptrdiff_t>(threads);
      ASSERT_EQ(result[i], std::accumulate(first, end, 0.0f)) << threads << " threads per row";
      ASSERT_EQ(result[384 + i], *std::max_element(first, end)) << threads << " threads per row";
      ASSERT_EQ(result[768 + i], static_cast<float>(threads));
    }
  }
}

// Two vectors in registers, one in shared memory, the rest, `in_flight` at once, twice from global memory.
constexpr char two_passes[] = R"(
    #include <warptune/device/rows.cuh>
    using namespace warptune::device;
    struct Reader {
      float *first, *fillers;
      int columns;
      template <int Count> __device__ void operator()(const Pack<float, 2> (&vectors)[Count], int column) const {
        for (const Pack<float, 2>& vector : vectors) {
          for (int i = 0; i < 2; ++i) {
            if (column < columns) first[column + i] += vector.at[i];
            else *fillers += vector.at[i];
          }
          column += 16;
        }
      }
    };
    __global__ void k(const float* in, float* first, float* again, float* fillers, int columns) {
      __shared__ Pack<float, 2> places[32];
      const int begin = threadIdx.x / 8 * columns;
      KeptRow<float, 2, 32, 8, 2, 1, in_flight> part(in + begin, columns, places + threadIdx.x);
      part.read<CacheHint::streaming, CacheHint::plain>(Pack<float, 2>{{-1.0f, -1.0f}},
                                                        Reader{first + begin, fillers + threadIdx.x, columns});
      part.read_again([&](const Pack<float, 2>& vector, int column) {
        for (int i = 0; i < 2; ++i) again[begin + column + i] += vector.at[i];
      });
    }
  )";

// Each element is seen once by either pass, with its column, and the fillers are what the first pass was told.
void expect_each_element_once(int in_flight, const std::vector<int>& lengths) {
  auto module = build(request("constexpr int in_flight = " + std::to_string(in_flight) + ";" + two_passes, {"k"}));
  for (const int columns : lengths) {
    std::vector<float> values(static_cast<std::size_t>(4 * columns));
    std::iota(values.begin(), values.end(), 1.0f);
    const std::vector<float> nothing(values.size(), 0.0f);
    const Buffer<float> in(values), first(nothing), again(nothing), fillers(std::vector<float>(32, 0.0f));
    launch(*module, "k", {{1}, {32}}, static_cast<const float*>(in.get()), first.get(), again.get(), fillers.get(),
           columns);
    EXPECT_EQ(first.read(), values) << columns;
    EXPECT_EQ(again.read(), values) << columns;
    for (const float sum : fillers.read()) EXPECT_LE(sum, 0.0f) << columns;
  }
}

TEST(DeviceRows, EveryElementIsReadOnceByEachPassWhereverItIsKept) {
  expect_each_element_once(3, {2, 18, 40, 48, 130});
}

// Three vectors of eight threads hold 48 elements.
TEST(DeviceRows, RowsThatAreKeptWholeNeedNoRest) {
  expect_each_element_once(0, {2, 18, 40, 48});
}

// Two rows of 48 elements by eight threads, six to each: what one row has together is not the other's.
TEST(DeviceRows, RowsAtOnceKeepApart) {
  auto module = build(request(R"(
    #include <warptune/device/kept_exponentials.cuh>
    #include <warptune/device/rows.cuh>
    using namespace warptune::device;
    using Part = KeptRow<float, 2, 32, 8, 3, 0, 0, true>;
    __device__ float larger(float a, float b) { return fmaxf(a, b); }
    __device__ float sum(float a, float b) { return a + b; }
    __global__ void k(const float* in, float* out) {
      const int begin = threadIdx.x / 8 * 96;
      Part parts[2];
      KeptExponentials<NumberFormat::float32, 2, 3> kept[2];
      float of_rows[2];
      for (int r = 0; r < 2; ++r) {
        parts[r] = Part(in + begin + 48 * r, 48, nullptr);
        parts[r].send_for<CacheHint::plain>(Pack<float, 2>{});
        parts[r].take_all<CacheHint::plain>(Pack<float, 2>{}, Keep<NumberFormat::float32, 2, 3>{kept[r]});
        of_rows[r] = kept[r].maximum;
      }
      reduce_over_rows<32, 8>(of_rows, larger);
      for (int r = 0; r < 2; ++r) of_rows[r] = kept[r].exponentiate(of_rows[r]);
      reduce_over_rows<32, 8>(of_rows, sum);
      Part::read_rows_again(parts, [&](const Pack<float, 2> (&vectors)[2], int column) {
        for (int i = 0; i < 4; ++i) out[begin + 48 * (i / 2) + column + i % 2] = vectors[i / 2].at[i % 2] + of_rows[i / 2];
      });
    }
  )",
                              {"k"}));
  std::vector<float> values(384);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 7);
  const Buffer<float> in(values), out(values.size());
  launch(*module, "k", {{1}, {32}}, static_cast<const float*>(in.get()), out.get());
  const std::vector<float> result = out.read();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i / 48 * 48);
    const float largest = *std::max_element(first, first + 48);
    float sum = 0.0f;
    for (auto value = first; value != first + 48; ++value) sum += std::exp(*value - largest);
    ASSERT_NEAR(result[i], values[i] + sum, 1e-4f) << i;
  }
}

TEST(DeviceNumbers16, VectorsConvertAsTheirElementsDo) {
  auto module = build(request(R"(
    #include <warptune/device/numbers16.cuh>
    using namespace warptune::device;
    template <NumberFormat format> __device__ int differences(unsigned first) {
      Pack<unsigned short, 4> pack;
      for (unsigned i = 0; i < 4; ++i) pack.at[i] = static_cast<unsigned short>(first + 16411 * i);
      const Pack<float, 4> values = to_floats<format>(pack);
      const Pack<unsigned short, 4> back = from_floats<format>(values);
      int count = 0;
      for (int i = 0; i < 4; ++i) {
        count += __float_as_uint(values.at[i]) != __float_as_uint(to_float<format>(pack.at[i]));
        count += back.at[i] != pack.at[i] && values.at[i] == values.at[i];
      }
      return count;
    }
    __global__ void k(int* out) {
      const unsigned first = blockIdx.x * 256 + threadIdx.x;
      atomicAdd(out, differences<NumberFormat::half>(first) + differences<NumberFormat::bfloat16>(first));
    }
  )",
                              {"k"}));
  const Buffer<int> out(std::vector<int>(1, 0));
  launch(*module, "k", {{256}, {256}}, out.get());
  EXPECT_EQ(out.read()[0], 0);
}

TEST(DeviceOnlineSoftmax, PartsMergeToTheSumFromTheLargestElement) {
  auto module = build(request(R"(
    #include <warptune/device/online_softmax.cuh>
    using namespace warptune::device;
    __global__ void k(float* out) {
      SoftmaxSum left, right, nothing;
      const Pack<float, 2> small[2] = {{{-100.0f, -101.0f}}, {{-100.0f, -103.0f}}}, large[1] = {{{50.0f, 49.0f}}};
      const Pack<float, 2> none[1] = {no_exponentials<NumberFormat::float32, 2>()};
      add_exponentials<NumberFormat::float32>(left, small);
      out[0] = left.maximum, out[1] = left.sum;
      add_exponentials<NumberFormat::float32>(left, large);
      add_exponentials<NumberFormat::float32>(left, none);
      out[2] = left.maximum, out[3] = left.sum;
      add_exponentials<NumberFormat::float32>(right, small);
      left = merged(merged(right, left), nothing);
      out[4] = left.maximum, out[5] = left.sum;
      add_exponentials<NumberFormat::float32>(nothing, none);
      out[6] = nothing.sum;
    }
  )",
                              {"k"}));
  const Buffer<float> out(7);
  launch(*module, "k", {}, out.get());
  const std::vector<float> result = out.read();
  const float of_small = 2 + std::exp(-1.0f) + std::exp(-3.0f), of_large = 1 + std::exp(-1.0f);
  EXPECT_FLOAT_EQ(result[0], -100.0f);
  EXPECT_FLOAT_EQ(result[1], of_small);
  for (const std::size_t i : {std::size_t{2}, std::size_t{4}}) {
    EXPECT_FLOAT_EQ(result[i], 50.0f);
    EXPECT_FLOAT_EQ(result[i + 1], of_large);  // what is e^-150 of it has vanished
  }
  EXPECT_EQ(result[6], 0.0f);
}

}  // namespace
}  // namespace warptune::tuner::host
