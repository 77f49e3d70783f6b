#include "search/strategies/shared.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/models/covering.h"

namespace warptune::search {
namespace {

constexpr double processors = 132;

Parameter listed(const std::string& name, std::vector<std::int64_t> values) {
  Parameter parameter{name, {}};
  for (const std::int64_t value : values) parameter.values.emplace_back(value);
  return parameter;
}

// Tiles of a matrix product on a GPU: waves of whole tiles, large ones use the memory better, small ones fill the
// processors, and split depths help where there are few tiles.
double time_of(const std::vector<double>& size, double tile_m, double tile_n, double split) {
  const double tiles = std::ceil(size[0] / tile_m) * std::ceil(size[1] / tile_n) * split;
  const double waves = std::ceil(tiles / processors);
  const double traffic = 1 / tile_m + 1 / tile_n;
  const double step = tile_m * tile_n * (1 + 40 * traffic + (tile_m * tile_n > 20000 ? 0.4 : 0));
  return 2e3 + waves * size[2] / split * step * 1e-3 + (split > 1 ? 3e3 + size[0] * size[1] * split * 1e-3 : 0);
}

class SharedSearchTest : public testing::Test {
 protected:
  SharedSearchTest() {
    for (const double m : {256, 640, 1600, 4096})
      for (const double n : {256, 640, 1600, 4096})
        for (const double k : {256, 640, 1600, 4096}) sizes_.push_back({m, n, k});
    model_ = std::make_unique<SharedModel>(space_, sizes_);
  }
  double time(std::size_t size, const Configuration& configuration) const {
    const NamedValues values = space_.values(configuration);
    const auto value = [&](const char* name) { return to_double(*find_value(values, name)); };
    return time_of(sizes_[size], value("tile_m"), value("tile_n"), value("split")) * (1 + 0.05 * value("flavour"));
  }
  Trial trial(std::size_t size, const Configuration& configuration) const {
    Trial trial{.configuration = configuration};
    trial.objectives = {time(size, configuration)};
    return trial;
  }
  double best(std::size_t size) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(space_.size()); ++i)
      least = std::min(least, time(size, space_.at(i)));
    return least;
  }
  // As if searched alone: two of three configurations.
  void search_alone(std::size_t size) {
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(space_.size()); ++i)
      if (i % 3 != 1) model_->tell(size, space_, trial(size, space_.at(i)));
  }

  SearchSpace space_ = SearchSpace::build({listed("tile_m", {32, 64, 128, 256}), listed("tile_n", {32, 64, 128, 256}),
                                           listed("split", {1, 2, 4, 8}), listed("flavour", {0, 1, 2})},
                                          {});
  std::vector<std::vector<double>> sizes_;
  std::unique_ptr<SharedModel> model_;
};

TEST_F(SharedSearchTest, FindsNearlyTheBestOfManySizesInAFewTrialsEach) {
  const auto order = covering_order(sizes_);
  constexpr std::size_t alone = 6;
  double regret = 0;
  std::size_t trials = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t size = order[place];
    if (place < alone) {
      search_alone(size);
      continue;
    }
    const auto search = model_->search(size, space_);
    double least = std::numeric_limits<double>::infinity();
    for (auto asked = search->ask(1); !asked.empty(); asked = search->ask(1), ++trials) {
      least = std::min(least, time(size, asked.front()));
      search->tell(trial(size, asked.front()));
    }
    regret += (least / best(size) - 1) / static_cast<double>(order.size() - alone);
  }
  // Times jump with each wave of tiles, which no smooth model knows; a choice by the nearest size alone loses more.
  EXPECT_LT(regret, 0.08);
  EXPECT_LT(static_cast<double>(trials) / static_cast<double>(order.size() - alone), 17);
}

TEST_F(SharedSearchTest, AsksForItsChecksAtOnceAndForMoreOnlyWithResults) {
  search_alone(0);
  const auto search = model_->search(1, space_);
  const auto checks = search->ask(10);
  EXPECT_EQ(checks.size(), SharedModel::Options{}.checks);
  EXPECT_TRUE(search->ask(10).empty());
  for (const Configuration& check : checks) search->tell(trial(1, check));
  for (const Configuration& other : search->ask(10)) EXPECT_EQ(std::ranges::count(checks, other), 0);
}

TEST_F(SharedSearchTest, HasNothingToProposeBeforeAnythingWasTried) {
  EXPECT_TRUE(model_->search(3, space_)->ask(4).empty());
  EXPECT_EQ(model_->gain(3, space_), 0);
}

TEST_F(SharedSearchTest, ProposesOnlyWhatTheSizesOwnConstraintsAllow) {
  search_alone(0);
  const SearchSpace narrow =
      SearchSpace::build({listed("tile_m", {32, 64, 128, 256}), listed("tile_n", {32, 64, 128, 256}),
                          listed("split", {1, 2, 4, 8}), listed("flavour", {0, 1, 2})},
                         {Constraint{"split == 8", {}, {}}});
  const auto search = model_->search(1, narrow);
  for (const Configuration& configuration : search->ask(4)) {
    EXPECT_TRUE(narrow.contains(configuration));
    EXPECT_EQ(to_text(*find_value(narrow.values(configuration), "split")), "8");
  }
}

}  // namespace
}  // namespace warptune::search
