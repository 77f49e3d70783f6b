// Warptune's headers for kernels, <warptune/device/...>: each by itself, and what its pieces compute, on the host.
#include "tuner/device/compile/device_headers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <regex>

#include "tests/support/places.h"
#include "tests/tuner/device/backends/host/host_fixture.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::host {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(DeviceHeaders, EachCompilesByItselfWithoutAWarning) {
  ASSERT_GE(device_headers().size(), 5u);
  for (const DeviceHeader& header : device_headers()) {
    CompileRequest wanted = request("#include <" + std::string(header.name) + ">\n__global__ void k() {}", {"k"});
    wanted.options.insert(wanted.options.end(), {"-Wall", "-Wextra"});
    const CompileResult result = shared_compiler().compile(wanted);
    EXPECT_TRUE(result.code) << header.name;
    EXPECT_THAT(result.log, IsEmpty()) << header.name;
  }
}

TEST(DeviceHeaders, AreWhatTheTreeHolds) {
  const DeviceHeader* header = find_device_header("warptune/device/vectors.cuh");
  ASSERT_NE(header, nullptr);
  std::ifstream file(source_folder() + "/templates/include/warptune/device/vectors.cuh");
  EXPECT_EQ(header->text, std::string(std::istreambuf_iterator<char>(file), {}));
  EXPECT_EQ(find_device_header("warptune/device/none.cuh"), nullptr);
}

// Parameters are macros, in capitals by custom: no name of ours may be one. Nobody's begins with WARPTUNE_.
TEST(DeviceHeaders, HaveNoNameThatAParameterMightHave) {
  const std::regex comment("//[^\\n]*|\"[^\"\\n]*\""), capitals("\\b(?!WARPTUNE_)[A-Z][A-Z0-9_]*\\b");
  for (const DeviceHeader& header : device_headers()) {
    const std::string code = std::regex_replace(std::string(header.text), comment, "");
    std::smatch found;
    EXPECT_FALSE(std::regex_search(code, found, capitals)) << header.name << ": " << found.str();
  }
}

TEST(DeviceHeaders, AnUnknownOneIsAnErrorThatListsThoseThereAre) {
  const CompileResult result =
      shared_compiler().compile(request("#include <warptune/device/vector.cuh>\n__global__ void k() {}", {"k"}));
  EXPECT_FALSE(result.code);
  EXPECT_FALSE(result.unfinished);
  EXPECT_THAT(result.log, AllOf(HasSubstr("Warptune has no header <warptune/device/vector.cuh>; there are"),
                                HasSubstr("<warptune/device/vectors.cuh>"), HasSubstr("<warptune/device/warp.cuh>")));
  const CompileResult other =
      shared_compiler().compile(request("#include \"mine.cuh\"\n__global__ void k() {}", {"k"}));
  EXPECT_THAT(other.log, AllOf(HasSubstr("mine.cuh"), Not(HasSubstr("Warptune has no"))));
}

TEST(DeviceHeaders, AFolderOfTheUsersGoesFirst) {
  const ScratchFolder folder;
  fs::create_directories(folder.path() / "warptune/device");
  std::ofstream(folder.path() / "warptune/device/warp.cuh") << "constexpr int mine = 7;\n";
  CompileRequest wanted =
      request("#include <warptune/device/warp.cuh>\n__global__ void k(int* out) { *out = mine; }", {"k"});
  wanted.include_directories = {folder.path()};
  auto module = build(wanted);
  Buffer<int> out(1);
  launch(*module, "k", {}, out.get());
  EXPECT_EQ(out.read()[0], 7);
}

// An error inside a header names it as kernels do, not by a folder that is gone.
TEST(DeviceHeaders, MessagesNameThemAsKernelsDo) {
  const CompileResult result =
      shared_compiler().compile(request("#include <warptune/device/async_copy.cuh>\n"
                                        "__global__ void k(int* p) { warptune::device::copy_async<3>(p, p); }",
                                        {"k"}));
  EXPECT_FALSE(result.code);
  EXPECT_THAT(result.log, AllOf(HasSubstr("warptune/device/async_copy.cuh:"), HasSubstr("cp.async moves 4, 8 or 16"),
                                Not(HasSubstr("built-in")), Not(HasSubstr("/tmp/"))));
}

TEST(DeviceArithmetic, TheSmallerAndTheLargerAreConstants) {
  const CompileResult result = shared_compiler().compile(request(R"(
    #include <warptune/device/arithmetic.cuh>
    using namespace warptune::device;
    static_assert(min_of(-2, 3) == -2 && min_of(3, -2) == -2 && max_of(-2, 3) == 3 && max_of(3, -2) == 3, "");
    __global__ void k() {}
  )",
                                                                 {"k"}));
  EXPECT_TRUE(result.code) << result.log;
}

TEST(DeviceVectors, PacksMoveWholeWithEveryHint) {
  auto module = build(request(R"(
    #include <warptune/device/vectors.cuh>
    using namespace warptune::device;
    static_assert(sizeof(Pack<double, 2>) == 16 && alignof(Pack<double, 2>) == 16 && sizeof(WordOf<8>::type) == 8);
    template <class Element, int Width, CacheHint Hint> __device__ void reverse(const float* from, float* to) {
      const auto* source = reinterpret_cast<const Element*>(from);
      auto* target = reinterpret_cast<Element*>(to);
      for (int i = threadIdx.x; i < 16 * int(sizeof(float)) / int(sizeof(Element)) / Width; i += blockDim.x) {
        const auto pack = load_pack<Width, Hint>(source + i * Width);
        Pack<Element, Width> turned;
        for (int j = 0; j < Width; ++j) turned.at[j] = pack.at[Width - 1 - j];
        store_pack<Hint>(target + i * Width, turned);
      }
    }
    __global__ void k(const float* in, float* out) {
      reverse<float, 1, CacheHint::global>(in, out);
      reverse<float, 2, CacheHint::streaming>(in + 16, out + 16);
      reverse<float, 4, CacheHint::global>(in + 32, out + 32);
      reverse<int, 4, CacheHint::plain>(in + 48, out + 48);
      reverse<double, 2, CacheHint::streaming>(in + 64, out + 64);
      reverse<unsigned char, 4, CacheHint::streaming>(in + 80, out + 80);
    }
  )",
                              {"k"}));
  std::vector<float> values(96);
  std::iota(values.begin(), values.end(), 1.0f);
  const Buffer<float> in(values), out(values.size());
  launch(*module, "k", {{1}, {3}}, static_cast<const float*>(in.get()), out.get());
  const std::vector<float> result = out.read();
  for (int i = 0; i < 80; ++i) {
    const int within[] = {0, 1, 3, 3};
    const int place = i < 64 ? i ^ within[i / 16] : i ^ 2;  // doubles: pairs of floats change places
    EXPECT_EQ(result[static_cast<std::size_t>(i)], static_cast<float>(place + 1)) << i;
  }
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  EXPECT_EQ(bits(result[80]), __builtin_bswap32(bits(81.0f)));
}

// Every half and every bfloat16 comes back as it was; between two neighbours the nearest one is taken, ties go to even.
TEST(DeviceNumbers16, RoundToTheNearestAndComeBackAsTheyWere) {
  auto module = build(request(R"(
    #include <warptune/device/numbers16.cuh>
    using namespace warptune::device;
    template <NumberFormat format> __device__ void check(unsigned bits, unsigned infinity, int* faults) {
      const float value = to_float<format>(bits);
      if (from_float<format>(value) != bits) ++faults[0];
      if (bits + 1 >= infinity) return;
      const float next = to_float<format>(bits + 1), middle = value + (next - value) / 2;
      if (from_float<format>(middle) != (bits + 1) / 2 * 2) ++faults[1];
      if (from_float<format>(__uint_as_float(__float_as_uint(middle) - 1)) != bits) ++faults[2];
      if (from_float<format>(-__uint_as_float(__float_as_uint(middle) + 1)) != (bits + 1 | 0x8000)) ++faults[3];
    }
    __global__ void k(int* faults) {
      for (unsigned bits = 0; bits <= 0x7c00; ++bits) check<NumberFormat::half>(bits, 0x7c00, faults);
      for (unsigned bits = 0; bits <= 0x7f80; ++bits) check<NumberFormat::bfloat16>(bits, 0x7f80, faults + 4);
      const float nan = __uint_as_float(0x7fc00000), most = 3.4e38f;
      faults[8] = from_float<NumberFormat::half>(nan), faults[9] = from_float<NumberFormat::bfloat16>(nan);
      faults[10] = from_float<NumberFormat::half>(-most), faults[11] = from_float<NumberFormat::bfloat16>(-most);
      faults[12] = from_float<NumberFormat::half>(65519.0f), faults[13] = from_float<NumberFormat::half>(65520.0f);
    }
  )",
                              {"k"}));
  const Buffer<int> faults(std::vector<int>(14, 0));
  launch(*module, "k", {}, faults.get());
  const std::vector<int> expected{0, 0, 0, 0, 0, 0, 0, 0, 0x7fff, 0x7fff, 0xfc00, 0xff80, 0x7bff, 0x7c00};
  EXPECT_EQ(faults.read(), expected);
}

TEST(DeviceWarp, SumsAndScansAreThoseOfTheDefinition) {
  auto module = build(request(R"(
    #include <warptune/device/warp.cuh>
    using namespace warptune::device;
    __global__ void k(const long long* in, long long* sums, long long* firsts, int* scans) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      sums[i] = warp_sum(in[i]);
      firsts[i] = sum_in_first_lane<8>(in[i]);
      scans[i] = warp_inclusive_sum(int(in[i] >> 32)) + 1000000 * lane_of_thread();
    }
  )",
                              {"k"}));
  std::vector<long long> values(192);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = ((static_cast<long long>(i * i) - 500) << 32) + 1;
  const Buffer<long long> in(values), sums(192), firsts(192);
  const Buffer<int> scans(192);
  launch(*module, "k", {{2}, {96}}, static_cast<const long long*>(in.get()), sums.get(), firsts.get(), scans.get());
  const auto sum_over = [&](std::size_t first, std::size_t count) {
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(first),
                           values.begin() + static_cast<std::ptrdiff_t>(first + count), 0LL);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(sums.read()[i], sum_over(i / 32 * 32, 32));
    if (i % 8 == 0) {
      EXPECT_EQ(firsts.read()[i], sum_over(i, 8));
    }
    EXPECT_EQ(scans.read()[i], (sum_over(i / 32 * 32, i % 32 + 1) >> 32) + 1000000 * static_cast<int>(i % 32));
  }
}

// What the tiles before each tile add up to, by the code that the header's page shows.
template <class Sum>
std::vector<Sum> sums_before(const std::string& type, const std::vector<Sum>& totals, int window) {
  auto module = build(request("using Sum = " + type + "; constexpr int window = " + std::to_string(window) + R"(;
    #include <warptune/device/look_back.cuh>
    using namespace warptune::device;
    using Tiles = TileSums<Sum>;
    __global__ void k(const Sum* totals, Sum* before, unsigned* ticket, Tiles::State* states) {
      const unsigned tile = take_ticket(ticket);
      const Sum total = totals[tile];
      if (threadIdx.x == 0) Tiles::publish(states, tile, tile == 0 ? sum_from_start : own_sum, total);
      if (threadIdx.x < 32) {
        const Sum sum = tile == 0 ? 0 : Tiles::look_back<window>(states, tile);
        if (threadIdx.x == 0 && tile > 0) Tiles::publish(states, tile, sum_from_start, sum + total);
        if (threadIdx.x == 31) before[tile] = sum;
      }
    }
  )",
                              {"k"}));
  const Buffer<Sum> in(totals), before(totals.size());
  const Buffer<unsigned> ticket(1);
  const Buffer<unsigned long long> states(totals.size());
  launch(*module, "k", {{static_cast<std::int64_t>(totals.size())}, {64}}, static_cast<const Sum*>(in.get()),
         before.get(), ticket.get(), states.get());
  return before.read();
}

TEST(DeviceLookBack, FindsTheSumOverAllTilesBefore) {
  std::vector<int> totals(300);
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i] = static_cast<int>(i % 7) - 5;  // below zero on the whole
  std::vector<int> expected(totals.size());
  std::exclusive_scan(totals.begin(), totals.end(), expected.begin(), 0);
  EXPECT_EQ(sums_before("int", totals, 1), expected);
  EXPECT_EQ(sums_before("int", totals, 3), expected);
  const std::vector<long long> large(100, 3'000'000'000LL);
  EXPECT_EQ(sums_before("long long", large, 2).back(), 99 * 3'000'000'000LL);
}

// Most tiles have said what they are themselves alone when the last one looks: it must add up over several windows. The
// states lie there beforehand, so that nothing depends on the order of blocks.
TEST(DeviceLookBack, GoesBeyondItsWindow) {
  auto module = build(request(R"(
    #include <warptune/device/look_back.cuh>
    using namespace warptune::device;
    using Tiles = TileSums<int>;
    using Counters = TileSums<unsigned, unsigned, 30>;
    __global__ void k(int* out, Tiles::State* states, unsigned* counters) {
      for (int tile = threadIdx.x; tile < 200; tile += 32) {
        Tiles::publish(states, tile, tile == 20 ? sum_from_start : own_sum, tile == 20 ? -100000 : tile < 20 ? 7777 : tile);
        for (int i = 0; i < 3; ++i)
          Counters::publish(counters, tile * 3 + i, tile == 20 ? sum_from_start : own_sum, tile < 20 ? 7777 : i * 1000000);
      }
      __syncwarp();
      out[threadIdx.x] = Tiles::look_back<2>(states, 200);
      if (threadIdx.x < 3) out[32 + threadIdx.x] = int(Counters::look_back_alone<4>(counters, 200, 3, threadIdx.x));
    }
  )",
                              {"k"}));
  const Buffer<int> out(35);
  const Buffer<unsigned long long> states(200);
  const Buffer<unsigned> counters(600);
  launch(*module, "k", {{1}, {32}}, out.get(), states.get(), counters.get());
  const std::vector<int> result = out.read();
  const int expected = -100000 + (21 + 199) * 179 / 2;
  for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(result[lane], expected);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(result[static_cast<std::size_t>(32 + i)], 180 * i * 1000000);
}

TEST(DeviceAsyncCopy, CopiesOrClearsAndPutsKeysInOrder) {
  auto module = build(request(R"(
    #include <warptune/device/async_copy.cuh>
    #include <warptune/device/compare_exchange.cuh>
    using namespace warptune::device;
    __global__ void k(const int* in, int* out) {
      __shared__ int4 storage[3];
      int* tile = reinterpret_cast<int*>(storage);
      if (threadIdx.x == 0) {
        copy_async<16>(tile, in);
        copy_async_or_zero<8>(tile + 4, in + 4, true);
        copy_async_or_zero<16>(tile + 8, in + 1000000, false);
        copy_async<4>(tile + 6, in + 6);
      }
      if (threadIdx.x == 1) tile[7] = 42;
      commit_copies();
      wait_for_copies<0>();
      __syncthreads();
      int a = tile[threadIdx.x], b = tile[11 - threadIdx.x];
      put_in_order(a, b);
      out[threadIdx.x] = tile[threadIdx.x];
      out[12 + threadIdx.x] = b - a;
    }
  )",
                              {"k"}));
  const Buffer<int> in(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}), out(std::vector<int>(24, -1));
  launch(*module, "k", {{1}, {12}}, static_cast<const int*>(in.get()), out.get());
  EXPECT_EQ(out.read(), (std::vector<int>{1, 2, 3, 4, 5,  6, 7, 42, 0, 0, 0, 0,  //
                                          1, 2, 3, 4, 37, 1, 1, 37, 4, 3, 2, 1}));
}

// One thread fills stages, the others empty them: more chunks than stages, so that phases turn.
TEST(DeviceBulkCopy, ARingOfStagesPassesOnWhatWasCopiedInAndOut) {
  auto module = build(request(R"(
    #include <warptune/device/bulk_copy.cuh>
    using namespace warptune::device;
    __global__ void k(const int* in, int* out, int chunks) {
      extern __shared__ int4 storage[];
      __shared__ Barrier full[2], free[2];  // static memory has windows, too
      if (threadIdx.x == 0) {
        for (int i = 0; i < 2; ++i) make_barrier(window_of(&full[i]), 1), make_barrier(window_of(&free[i]), 1);
        publish_barriers();
      }
      __syncthreads();
      RingPlace<2> place;
      for (int chunk = 0; chunk < chunks; ++chunk, place.advance()) {
        const Window stage = window_of(storage + 2 * place.stage);
        if (threadIdx.x == 0) {
          wait_for_phase(window_of(&free[place.stage]), place.parity ^ 1);
          arrive_and_announce(window_of(&full[place.stage]), 32);
          copy_bytes(stage, in + 8 * chunk, 32, window_of(&full[place.stage]));
        } else {
          spin_for_phase(window_of(&full[place.stage]), place.parity);
          int* values = reinterpret_cast<int*>(pointer_to(stage));
          for (int i = 0; i < 8; ++i) values[i] += 1000;
          publish_to_copies();
          copy_bytes_out(out + 8 * chunk, stage, 32);
          wait_until_read();
          arrive(window_of(&free[place.stage]));
        }
      }
    }
  )",
                              {"k"}));
  std::vector<int> numbers(40), expected(40);
  for (int i = 0; i < 40; ++i)
    numbers[static_cast<std::size_t>(i)] = i, expected[static_cast<std::size_t>(i)] = i + 1000;
  const Buffer<int> in(numbers), out(std::vector<int>(40, -1));
  launch(*module, "k", {{1}, {2}, 64}, static_cast<const int*>(in.get()), out.get(), 5);
  EXPECT_EQ(out.read(), expected);
}

}  // namespace
}  // namespace warptune::tuner::host
