#include "tuner/results/exporters/cub_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/results/exporters/example_wisdom.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string refusal(const Wisdom& wisdom) {
  try {
    return "rendered: " + export_cub_policy(wisdom);
  } catch (const RequestError& error) {
    return error.what();
  }
}

TEST(CubPolicyExport, IsAHubForEachVariantAndAPolicyForEachCapability) {
  const std::string text = export_cub_policy(example_cub_wisdom());
  EXPECT_THAT(text, HasSubstr("struct cub_scan_inclusive {"));
  EXPECT_THAT(text, HasSubstr("struct Policy800 : cub::ChainedPolicy<800, Policy800, typename own::Policy600>"));
  EXPECT_THAT(text, HasSubstr("struct Policy900 : cub::ChainedPolicy<900, Policy900, Policy800>"));
  EXPECT_THAT(text, HasSubstr("struct cub_scan_exclusive {"));
  EXPECT_THAT(text, HasSubstr("struct Policy900 : cub::ChainedPolicy<900, Policy900, typename own::Policy860>"));
  EXPECT_THAT(text,
              HasSubstr("cub::AgentScanPolicy<512, 24, Accum, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::LOAD_DEFAULT"));
  EXPECT_THAT(text, HasSubstr("cub::BLOCK_STORE_TRANSPOSE, cub::BLOCK_SCAN_RAKING,"));
  EXPECT_THAT(text, HasSubstr("cub::detail::fixed_delay_constructor_t<648, 1245>"));
}

TEST(CubPolicyExport, TakesTheLargestSizesWinnerOfACapability) {
  Wisdom wisdom = example_cub_wisdom();
  for (WisdomEntry& entry : wisdom.entries) entry.variants = {{"KIND", std::string("inclusive")}};
  normalize(wisdom);
  const std::string text = export_cub_policy(wisdom);
  EXPECT_THAT(text, HasSubstr("AgentScanPolicy<512,"));  // of a million
  EXPECT_THAT(text, Not(HasSubstr("AgentScanPolicy<256,")));
}

TEST(CubPolicyExport, RefusesOtherKernelsAndValuesWithoutAWordOfCubs) {
  EXPECT_THAT(refusal(example_wisdom()),
              HasSubstr("is for the templates cub_scan, cub_radix_sort and cub_merge_sort, and not for my-kernel"));
  Wisdom wisdom = example_cub_wisdom();
  wisdom.entries.back().values[4].second = std::string("a_b");
  EXPECT_THAT(refusal(wisdom), HasSubstr("no word of CUB's for BLOCK_SCAN=a_b"));
  wisdom.entries.back().values.pop_back();
  wisdom.entries.back().values[4].second = std::string("raking");
  EXPECT_THAT(refusal(wisdom), HasSubstr("needs the parameter WRITE_NS"));
}

TEST(CubPolicyExport, KeepsWhatOnesweepDoesNotRunAsCubHasIt) {
  Wisdom wisdom = example_cub_wisdom();
  wisdom.kernel = "cub_radix_sort";
  wisdom.entries.resize(1);
  wisdom.entries[0].variants = {{"KIND", std::string("pairs")}};
  wisdom.entries[0].values = {{"RADIX_BITS", std::int64_t{7}},
                              {"BLOCK_SIZE", std::int64_t{384}},
                              {"COARSENING", std::int64_t{23}},
                              {"MATCH", std::string("early_atomic")},
                              {"COPIES", std::int64_t{2}},
                              {"BLOCK_SCAN", std::string("warp_scans")},
                              {"SCATTER", std::string("aligned")},
                              {"HISTOGRAM_BLOCK_SIZE", std::int64_t{256}},
                              {"HISTOGRAM_COARSENING", std::int64_t{8}},
                              {"HISTOGRAM_COPIES", std::int64_t{4}}};
  const std::string text = export_cub_policy(wisdom);
  EXPECT_THAT(text, HasSubstr("struct cub_radix_sort_pairs {"));
  EXPECT_THAT(text, HasSubstr("cub::AgentRadixSortHistogramPolicy<256, 8, 4, Key, 7>"));
  EXPECT_THAT(text, HasSubstr("cub::AgentRadixSortOnesweepPolicy<384, 23, Key, 2, "
                              "cub::RADIX_RANK_MATCH_EARLY_COUNTS_ATOMIC_OR,"));
  EXPECT_THAT(text, HasSubstr("using DownsweepPolicy = typename own::Policy900::DownsweepPolicy;"));
  wisdom.entries[0].values.emplace_back("MIN_BLOCKS_PER_SM", std::int64_t{0});
  EXPECT_EQ(export_cub_policy(wisdom), text);
  wisdom.entries[0].values.back().second = std::int64_t{2};
  EXPECT_THAT(refusal(wisdom), HasSubstr("cannot say MIN_BLOCKS_PER_SM=2"));
}

// A merge sort's hub has a key's iterator for its only argument, and no variants.
TEST(CubPolicyExport, ScalesAMergeSortsKeysPerThreadByTheirSize) {
  Wisdom wisdom = example_cub_wisdom();
  wisdom.kernel = "cub_merge_sort";
  wisdom.entries.resize(1);
  wisdom.entries[0].compute_capability = 90;
  wisdom.entries[0].variants = {};
  wisdom.entries[0].values = {{"BLOCK_SIZE", std::int64_t{512}},
                              {"COARSENING", std::int64_t{19}},
                              {"TILE_LOAD", std::string("transpose")},
                              {"TILE_STORE", std::string("warp_transpose")},
                              {"CACHE_HINT_LOAD", std::string("read_only")}};
  const std::string text = export_cub_policy(wisdom);
  EXPECT_THAT(text, HasSubstr("#include <cub/device/device_merge_sort.cuh>"));
  EXPECT_THAT(text, HasSubstr("template <class KeyIterator>\nstruct cub_merge_sort {"));
  EXPECT_THAT(text, HasSubstr("struct Policy900 : cub::ChainedPolicy<900, Policy900, typename own::Policy600>"));
  EXPECT_THAT(text, HasSubstr("cub::AgentMergeSortPolicy<512, cub::Nominal4BItemsToItems<typename own::KeyT>(19), "
                              "cub::BLOCK_LOAD_TRANSPOSE,"));
  EXPECT_THAT(text, HasSubstr("cub::LOAD_LDG, cub::BLOCK_STORE_WARP_TRANSPOSE>;"));
}

}  // namespace
}  // namespace warptune::tuner
