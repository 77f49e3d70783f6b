// <cooperative_groups.h> on the host: what each thread of two blocks finds out about itself and its group.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "tests/tuner/device/backends/host/host_fixture.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::host {
namespace {

using testing::HasSubstr;

// One module for all tests: each kernel writes rows of `out`, one for each question, with a number for each thread.
const char* const kSource = R"(
  #include <cooperative_groups.h>
  #include <cooperative_groups/memcpy_async.h>
  #include <cooperative_groups/reduce.h>
  #include <cooperative_groups/scan.h>
  namespace cg = cooperative_groups;
  __device__ int place() { return blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x; }
  #define SAY(row, value) out[(row) * count + place()] = static_cast<int>(value)

  __device__ int sum_by_sync(cg::thread_group group, int* shared, int value) {
    for (int i = static_cast<int>(group.size()) / 2; i > 0; i /= 2) {
      shared[group.thread_rank()] = value;
      group.sync();
      if (group.thread_rank() < i) value += shared[group.thread_rank() + i];
      group.sync();
    }
    return value;
  }
  __global__ void blocks(int* out, int count) {
    __shared__ int shared[64];
    const cg::thread_block block = cg::this_thread_block();
    const cg::grid_group grid = cg::this_grid();
    SAY(0, block.thread_rank() == place() % 64 && block.size() == 64 && block.num_threads() == 64);
    SAY(1, block.group_index().x == blockIdx.x && block.thread_index().y == threadIdx.y && block.dim_threads().x == 16);
    SAY(2, grid.thread_rank());
    SAY(3, grid.size() == count && grid.block_rank() == blockIdx.x && grid.num_blocks() == 2 && !grid.is_valid());
    const int sum = sum_by_sync(block, shared, threadIdx.x);
    SAY(4, cg::thread_rank(block) == 0 ? sum : -1);
    const auto half_warp = cg::tiled_partition(block, 16);
    const int part = sum_by_sync(half_warp, shared + block.thread_rank() / 16 * 16, threadIdx.y);
    SAY(5, half_warp.thread_rank() == 0 ? part : -1);
    auto token = block.barrier_arrive();
    block.barrier_wait(static_cast<cg::thread_block::arrival_token&&>(token));
    cg::sync(block);
  }
  template <unsigned Tile> __device__ void tile_rows(int* out, int count, int first) {
    const auto tile = cg::tiled_partition<Tile>(cg::this_thread_block());
    const int rank = tile.thread_rank(), at = place();
    SAY(first, rank);
    SAY(first + 1, tile.meta_group_rank() * 1000 + tile.meta_group_size());
    SAY(first + 2, tile.shfl(at, 1));
    SAY(first + 3, tile.shfl_up(at, 1));
    SAY(first + 4, tile.shfl_down(at, 2));
    SAY(first + 5, tile.shfl_xor(at, 1));
    SAY(first + 6, tile.ballot(at % 3 == 0));
    SAY(first + 7, tile.any(at == 5) * 2 + tile.all(at < 32));
    SAY(first + 8, tile.match_any(at % 4));
    int same; tile.match_all(at / 16, same);
    SAY(first + 9, same);
    SAY(first + 10, cg::reduce(tile, at, cg::plus<int>()));
    SAY(first + 11, cg::reduce(tile, at ^ 5, cg::less<int>()) * 1000 + cg::reduce(tile, at, cg::greater<int>()));
    SAY(first + 12, cg::inclusive_scan(tile, at));
    SAY(first + 13, cg::exclusive_scan(tile, at, cg::plus<int>()));
    tile.sync();
  }
  __global__ void tiles(int* out, int count) {
    tile_rows<32>(out, count, 0);
    tile_rows<8>(out, count, 14);
  }
  struct Large { double a; float b; int c; };
  __global__ void others(int* out, int count) {
    const cg::thread_block block = cg::this_thread_block();
    const auto quarter = cg::tiled_partition<8>(cg::tiled_partition<32>(block));
    SAY(0, quarter.meta_group_rank() * 10 + quarter.meta_group_size());
    const Large large = quarter.shfl(Large{place() * 0.5, 2.0f * place(), place()}, 3);
    SAY(1, large.a == 0.5 * large.c && large.b == 2.0f * large.c ? large.c : -1);
    const cg::thread_block_tile<8> plain = quarter;
    SAY(2, plain.shfl_down(place(), 1) + cg::this_thread().size());
    SAY(3, -1); SAY(4, -1); SAY(5, -1);
    if (place() % 3 == 0) {
      const auto some = cg::coalesced_threads();
      SAY(3, some.thread_rank() * 100 + some.size());
      SAY(4, some.shfl(place(), 2));
      SAY(5, cg::reduce(some, place(), cg::plus<int>()));
      const auto pairs = cg::tiled_partition(some, 2);
      SAY(6, pairs.meta_group_rank() * 100 + pairs.thread_rank() * 10 + pairs.size());
      SAY(7, some.ballot(place() % 2 == 0));
      SAY(8, cg::exclusive_scan(some, 1));
    }
    const auto odd = cg::binary_partition(cg::tiled_partition<32>(block), place() % 4 == 1);
    SAY(9, odd.size() * 100 + odd.thread_rank());
    const auto labelled = cg::labeled_partition(cg::tiled_partition<32>(block), place() % 5);
    SAY(10, labelled.meta_group_rank() * 1000 + labelled.meta_group_size() * 100 + labelled.size());
  }
  __global__ void copies(int* out, int count, const int* in) {
    __shared__ int bytes[64], elements[64];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, bytes, in + blockIdx.x * 64, cuda::aligned_size_t<4>(256));
    cg::memcpy_async(block, elements, 64, in + blockIdx.x * 64, 64);
    cg::wait(block);
    SAY(0, bytes[63 - block.thread_rank()]);
    SAY(1, elements[63 - block.thread_rank()]);
  }
  __global__ void sums(float* out, const float* in) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    out[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<float>());
  }
  __global__ void together(int* out) {
    cg::this_grid().sync();
    *out = 1;
  }
)";

constexpr int kThreads = 128;  // threads of two blocks

Module& module() {
  static const std::unique_ptr<Module> built =
      build(request(kSource, {"blocks", "tiles", "others", "copies", "sums", "together"}));
  return *built;
}

// The answers, by row and thread.
template <class... More>
std::vector<std::vector<int>> answers(const std::string& kernel, std::size_t rows, LaunchGeometry geometry,
                                      More... more) {
  const Buffer<int> out(rows * kThreads);
  launch(module(), kernel, geometry, out.get(), kThreads, more...);
  const std::vector<int> all = out.read();
  std::vector<std::vector<int>> result;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * kThreads);
    result.emplace_back(first, first + kThreads);
  }
  return result;
}

// What each thread should answer.
template <class F>
std::vector<int> each(F f) {
  std::vector<int> expected(kThreads);
  for (int i = 0; i < kThreads; ++i) expected[static_cast<std::size_t>(i)] = f(i);
  return expected;
}

TEST(CooperativeGroups, BlocksAndTheGridKnowTheirThreadsAndBlocksWaitForEachOther) {
  const auto row = answers("blocks", 6, {{2}, {16, 4}});
  for (const std::size_t yes : {0, 1, 3}) EXPECT_EQ(row[yes], each([](int) { return 1; })) << yes;
  EXPECT_EQ(row[2], each([](int i) { return i; }));
  EXPECT_EQ(row[4], each([](int i) { return i % 64 == 0 ? 4 * 120 : -1; }));
  EXPECT_EQ(row[5], each([](int i) { return i % 16 == 0 ? 16 * (i / 16 % 4) : -1; }));
}

void expect_tile(const std::vector<std::vector<int>>& row, std::size_t at, int size) {
  const auto first = [=](int i) { return i / size * size; };
  const auto votes = [=](int i, auto vote) {
    unsigned mask = 0;
    for (int j = 0; j < size; ++j) mask |= static_cast<unsigned>(vote(first(i) + j)) << j;
    return static_cast<int>(mask);
  };
  EXPECT_EQ(row[at], each([=](int i) { return i % size; }));
  EXPECT_EQ(row[at + 1], each([=](int i) { return i % 64 / size * 1000 + 64 / size; }));
  EXPECT_EQ(row[at + 2], each([=](int i) { return first(i) + 1; }));
  EXPECT_EQ(row[at + 3], each([=](int i) { return i == first(i) ? i : i - 1; }));
  EXPECT_EQ(row[at + 4], each([=](int i) { return i % size + 2 < size ? i + 2 : i; }));
  EXPECT_EQ(row[at + 5], each([](int i) { return i ^ 1; }));
  EXPECT_EQ(row[at + 6], each([=](int i) { return votes(i, [](int j) { return j % 3 == 0; }); }));
  EXPECT_EQ(row[at + 7], each([=](int i) { return (first(i) == 0) * 2 + (i < 32); }));
  EXPECT_EQ(row[at + 8], each([=](int i) { return votes(i, [i](int j) { return j % 4 == i % 4; }); }));
  EXPECT_EQ(row[at + 9], each([=](int) { return size <= 16; }));
  EXPECT_EQ(row[at + 10], each([=](int i) { return size * first(i) + size * (size - 1) / 2; }));
  EXPECT_EQ(row[at + 11], each([=](int i) { return first(i) * 1000 + first(i) + size - 1; }));
  const auto before = [=](int i) { return (i - first(i)) * (i - 1 + first(i)) / 2; };
  EXPECT_EQ(row[at + 12], each([=](int i) { return before(i) + i; }));
  EXPECT_EQ(row[at + 13], each(before));
}

TEST(CooperativeGroups, TilesExchangeVoteReduceAndScan) {
  const auto row = answers("tiles", 28, {{2}, {64}});
  expect_tile(row, 0, 32);
  expect_tile(row, 14, 8);
}

// A warp's threads whose number is divisible by three.
std::vector<int> some_of_warp(int i) {
  std::vector<int> members;
  for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
    if (j % 3 == 0) members.push_back(j);
  return members;
}

TEST(CooperativeGroups, AnyThreadsOfAWarpAreAGroupByTheirRank) {
  const auto row = answers("others", 11, {{2}, {64}});
  const auto rank = [](int i) {
    const std::vector<int> members = some_of_warp(i);
    return static_cast<int>(std::ranges::find(members, i) - members.begin());
  };
  const auto size = [](int i) { return static_cast<int>(some_of_warp(i).size()); };
  const auto of_members = [](auto f) { return each([=](int i) { return i % 3 == 0 ? f(i) : -1; }); };
  EXPECT_EQ(row[0], each([](int i) { return i % 32 / 8 * 10 + 4; }));
  EXPECT_EQ(row[1], each([](int i) { return i / 8 * 8 + 3; })) << "16 bytes";
  EXPECT_EQ(row[2], each([](int i) { return (i % 8 == 7 ? i : i + 1) + 1; }));
  EXPECT_EQ(row[3], of_members([=](int i) { return rank(i) * 100 + size(i); }));
  EXPECT_EQ(row[4], of_members([](int i) { return some_of_warp(i)[2]; }));
  EXPECT_EQ(row[5], of_members([](int i) {
              const std::vector<int> members = some_of_warp(i);
              return std::accumulate(members.begin(), members.end(), 0);
            }));
  for (int i = 0; i < kThreads; i += 3) {
    const auto at = static_cast<std::size_t>(i);
    const bool last_alone = rank(i) == size(i) - 1 && size(i) % 2 == 1;
    EXPECT_EQ(row[6][at], rank(i) / 2 * 100 + rank(i) % 2 * 10 + (last_alone ? 1 : 2)) << i;
    const std::vector<int> members = some_of_warp(i);
    int votes = 0;
    for (std::size_t n = 0; n < members.size(); ++n) votes |= (members[n] % 2 == 0) << n;
    EXPECT_EQ(row[7][at], votes) << i;
    EXPECT_EQ(row[8][at], rank(i)) << i;
  }
  EXPECT_EQ(row[9], each([](int i) { return i % 4 == 1 ? 800 + i % 32 / 4 : 2400 + i % 32 - (i % 32 + 2) / 4; }));
  EXPECT_EQ(row[10], each([](int i) {
              const int first = i / 32 * 32, met = (i % 5 - first % 5 + 5) % 5;  // labels are met in this order
              return met * 1000 + 500 + (32 - met + 4) / 5;
            }));
}

TEST(CooperativeGroups, CopiesAreThereAfterTheWait) {
  std::vector<int> values(kThreads);
  std::iota(values.begin(), values.end(), 7);
  const Buffer<int> in(values);
  const auto row = answers("copies", 2, {{2}, {64}}, static_cast<const int*>(in.get()));
  for (const auto& each_way : row) EXPECT_EQ(each_way, each([](int i) { return i / 64 * 64 + 63 - i % 64 + 7; }));
}

// Halves of halves, as CUDA adds up: another order gives other bits.
TEST(CooperativeGroups, SumsOfFloatsAreInCudasOrder) {
  std::vector<float> values(32);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / static_cast<float>(3 * i + 1);
  const Buffer<float> in(values), out(32);
  launch(module(), "sums", {{1}, {32}}, out.get(), static_cast<const float*>(in.get()));
  for (std::size_t distance = 16; distance > 0; distance /= 2) {
    std::vector<float> next(32);
    for (std::size_t i = 0; i < 32; ++i) next[i] = values[i] + values[i ^ distance];
    values = next;
  }
  EXPECT_EQ(out.read(), values);
}

TEST(CooperativeGroups, TheGridCannotWaitAndSaysWhy) {
  const Buffer<int> out(1);
  try {
    launch(module(), "together", {{2}, {32}}, out.get());
    FAIL() << "blocks waited for each other";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), "NOT_COOPERATIVE");
    EXPECT_THAT(error.what(), HasSubstr("two launches"));
  }
}

}  // namespace
}  // namespace warptune::tuner::host
