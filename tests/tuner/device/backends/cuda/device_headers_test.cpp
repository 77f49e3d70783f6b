// Warptune's headers for kernels under the real NVRTC; no device is needed.
#include "tuner/device/compile/device_headers.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/tuner/device/backends/cuda/nvrtc_fixture.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class DeviceHeadersUnderNvrtc : public WithNvrtc {
 protected:
  static CompileRequest request(const std::string& source) {
    return {.name = "test/kernel.cu", .source = source, .options = {"-std=c++17"}};
  }
};

TEST_F(DeviceHeadersUnderNvrtc, EachCompilesByItselfForEveryArchitectureInUse) {
  for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const auto shared = compiler(architecture);
    for (const DeviceHeader& header : device_headers()) {
      const CompileResult result =
          shared->compile(request("#include <" + std::string(header.name) + ">\n__global__ void k() {}"));
      EXPECT_TRUE(result.code) << architecture << " " << header.name;
      EXPECT_THAT(result.log, IsEmpty()) << architecture << " " << header.name;
    }
  }
}

// Templates say little until somebody calls them.
TEST_F(DeviceHeadersUnderNvrtc, WhatTheyOfferCompilesForEveryArchitectureInUse) {
  for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const CompileResult result = compile(request(R"(
      #include <warptune/device/async_copy.cuh>
      #include <warptune/device/compare_exchange.cuh>
      #include <warptune/device/look_back.cuh>
      #include <warptune/device/vectors.cuh>
      #include <warptune/device/warp.cuh>
      using namespace warptune::device;
      template <class Sum> __device__ Sum before(typename TileSums<Sum>::State* states, unsigned* ticket) {
        const unsigned tile = take_ticket(ticket);
        TileSums<Sum>::publish(states, tile, own_sum, 1);
        return TileSums<Sum>::template look_back<2>(states, tile);
      }
      __global__ void k(float* x, unsigned long long* states, unsigned* words) {
        __shared__ uint4 tile[32];
        copy_async<16>(tile + threadIdx.x, x);
        copy_async_or_zero<4>(tile + threadIdx.x, x, words[0] > 1);
        commit_copies();
        wait_for_copies<1>();
        auto pack = load_pack<4, CacheHint::streaming>(x);
        put_in_order(pack.at[0], pack.at[1]);
        store_pack<CacheHint::global>(x + 4, pack);
        store_pack<CacheHint::streaming>(reinterpret_cast<unsigned char*>(x), load_pack<2>(words + 4).at[0] > 3
            ? Pack<unsigned char, 4>{} : load_pack<4, CacheHint::global>(reinterpret_cast<unsigned char*>(x)));
        x[9] = warp_sum(x[3]) + sum_in_first_lane<4>(x[4]) + warp_inclusive_sum(x[5]);
        words[1] = before<int>(states, words) + before<unsigned>(states, words) + before<long long>(states, words);
        words[2] = TileSums<unsigned, unsigned, 30>::look_back_alone<4>(words, 5, 7, 3) + tile[3].x;
      }
    )"),
                                         architecture);
    EXPECT_TRUE(result.code) << architecture;
    EXPECT_THAT(result.log, IsEmpty()) << architecture;
  }
}

// Before compute capability 9.0 there is nothing of it.
TEST_F(DeviceHeadersUnderNvrtc, BulkCopiesAndWarpgroupsCompileWhereTheyAre) {
  CompileRequest wanted = request(R"(
    #include <warptune/device/bulk_copy.cuh>
    #include <warptune/device/warpgroup.cuh>
    using namespace warptune::device;
    __global__ void k(const __grid_constant__ TensorMap map, const int* in, int* out) {
      __shared__ int4 storage[64];
      __shared__ Barrier full;
      const Window barrier = window_of(&full), stage = window_of(storage);
      RingPlace<3> place;
      place.advance(), place.skip(4);
      give_registers<40>();
      make_barrier(barrier, 1), publish_barriers(), fetch_map(map), fetch_to_l2(in, 64);
      arrive_and_announce(barrier, 96);
      copy_bytes(stage, in, 32, barrier), copy_box(stage, map, 0, 0, barrier), copy_box(stage, map, 0, 0, 0, barrier);
      wait_for_phase(barrier, place.parity), spin_for_phase(barrier, place.parity);
      publish_to_copies(), copy_bytes_out(out, stage, 32), wait_until_read(), arrive(barrier);
      StartedProducts products;
      products.fence(), products.commit(), products.wait<0>();
      float sums[2] = {1, 2};
      settle(sums);
      out[8] = *reinterpret_cast<int*>(pointer_to(stage)) + static_cast<int>(sums[0] + bytes_of_field(descriptor_field(64, 16), 16));
    }
  )");
  wanted.options.push_back("--gpu-architecture=sm_90a");
  const CompileResult result = compile(wanted, "sm_90");
  EXPECT_TRUE(result.code) << result.log;
}

TEST_F(DeviceHeadersUnderNvrtc, RowsCompileForEveryArchitectureInUse) {
  for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const CompileResult result = compile(request(R"(
      #include <warptune/device/cluster_rows.cuh>
      #include <warptune/device/kept_exponentials.cuh>
      #include <warptune/device/rows.cuh>
      using namespace warptune::device;
      constexpr NumberFormat format = NumberFormat::bfloat16;
      using Whole = KeptRow<unsigned short, 8, 128, 64, 2, 0, 0, true>;
      __device__ float larger(float a, float b) { return fmaxf(a, b); }
      __global__ void whole(const unsigned short* x, unsigned short* y, int columns) {
        const ClusterPart of_block = part_of_cluster<4, 8>(columns);
        Whole parts[2];
        KeptExponentials<format, 8, 2> kept[2];
        float maxima[2];
        for (int r = 0; r < 2; ++r) {
          parts[r] = Whole(x + r * columns + of_block.first, of_block.count, nullptr);
          parts[r].send_for<CacheHint::streaming>(no_exponentials<format, 8>());
          parts[r].take_all<CacheHint::plain>(no_exponentials<format, 8>(), Keep<format, 8, 2>{kept[r]});
          maxima[r] = kept[r].maximum;
        }
        reduce_over_rows<128, 64>(maxima, larger);
        reduce_over_cluster<4>(maxima, larger);
        Whole::read_rows_again(parts, [&](const Whole::Vector (&vectors)[2], int column) {
          store_pack(y + column, from_floats<format>(to_floats<format>(vectors[1])));
        });
        parts[0].for_each_register([&](int i, int column) {
          const float sum = kept[0].exponentiate(maxima[0]);
          y[column] = from_float<format>(kept[0].at[i].at[0] * fast_reciprocal(sum));
        });
      }
      __global__ void k(const unsigned short* x, float* sums, int columns) {
        __shared__ Pack<unsigned short, 4> places[256];
        KeptRow<unsigned short, 4, 128, 64, 1, 2, 3> part(x, columns, places + threadIdx.x);
        SoftmaxSum mine;
        part.read<CacheHint::streaming, CacheHint::plain>(no_exponentials<format, 4>(), AddExponentials<format>{mine});
        mine = reduced_over_row<128, 64>(mine, [](SoftmaxSum a, SoftmaxSum b) { return merged(a, b); });
        part.read_again([&](const Pack<unsigned short, 4>& vector, int column) {
          sums[column] = __expf(to_float<format>(vector.at[0]) - mine.maximum) / mine.sum;
        });
      }
    )"),
                                         architecture);
    EXPECT_TRUE(result.code) << architecture;
    EXPECT_THAT(result.log, IsEmpty()) << architecture;
  }
}

TEST_F(DeviceHeadersUnderNvrtc, TensorCoresCompileForEveryArchitectureInUse) {
  for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const CompileResult result = compile(request(R"(
      #include <warptune/device/score_fragments.cuh>
      using namespace warptune::device;
      template <NumberFormat format> __device__ void weigh(float* x, const void* tile) {
        unsigned left[4], right[4], weights[1][4];
        load_matrices<false>(left, tile);
        load_matrices<true>(right, tile);
        float scores[8] = {}, outputs[4] = {}, shrink[2];
        ScoreRows rows;
        multiply_add<format>(scores, left_operand<format>(left), right_operand<format>(right[0], right[1]));
        exponentiate<1>(scores, rows, shrink, x[0]);
        exponentiate(scores, rows, shrink, x[1]);
        shrink_outputs(outputs, shrink);
        round_exponentials<format>(weights, scores);
        transpose_words(weights[0]);
        multiply_add<format>(outputs, left_operand<format>(weights[0]), right_operand<format>(right[2], right[3]));
        x[threadIdx.x] = outputs[0] + outputs[1] + outputs[2] + outputs[3];
      }
      __global__ void k(float* x) {
        __shared__ uint4 tile[32];
        weigh<NumberFormat::half>(x, tile + threadIdx.x);
        weigh<NumberFormat::bfloat16>(x + 32, tile + threadIdx.x);
      }
    )"),
                                         architecture);
    EXPECT_TRUE(result.code) << architecture << result.log;
    EXPECT_THAT(result.log, IsEmpty()) << architecture;
  }
}

TEST_F(DeviceHeadersUnderNvrtc, AnUnknownOneIsAnErrorThatListsThoseThereAre) {
  const CompileResult result = compile(request("#include <warptune/device/vector.cuh>\n__global__ void k() {}"));
  EXPECT_FALSE(result.code);
  EXPECT_THAT(result.log, AllOf(HasSubstr("test/kernel.cu(1)"),
                                HasSubstr("Warptune has no header <warptune/device/vector.cuh>; there are"),
                                HasSubstr("<warptune/device/vectors.cuh>")));
}

TEST_F(DeviceHeadersUnderNvrtc, AFolderOfTheUsersGoesFirstAndASessionsCopyHasWhatItHas) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "warptune/device");
  std::ofstream(folder.path() / "warptune/device/warp.cuh") << "#error mine\n";
  // vectors.cuh is the program's own, as the folder has none.
  CompileRequest wanted =
      request("#include <warptune/device/vectors.cuh>\n#include <warptune/device/warp.cuh>\n__global__ void k() {}");
  wanted.include_directories = {folder.path()};
  EXPECT_THAT(compile(wanted).log, HasSubstr("mine"));
  EXPECT_THAT(compiler("sm_90")->preprocess(wanted), AllOf(HasSubstr("#error mine"), HasSubstr("struct VectorOf")));
  wanted.root = folder.path();
  EXPECT_THAT(compile(wanted).log, HasSubstr("vectors.cuh"));
}

}  // namespace
}  // namespace warptune::tuner
