#include "search/strategies/model_based/shared_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
    model_ = std::make_unique<SharedModel>(space_, sizes_, 1);
    for (std::size_t size = 0; size < sizes_.size(); ++size) model_->add(size, space_);
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
  double measure(std::size_t size, const Configuration& configuration) {
    model_->tell(size, trial(size, configuration));
    return time(size, configuration);
  }
  // Most of what there is, at one size.
  void measure_most(std::size_t size) {
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(space_.size()); ++i)
      if (i % 3 != 1) measure(size, space_.at(i));
  }

  SearchSpace space_ = SearchSpace::build({listed("tile_m", {32, 64, 128, 256}), listed("tile_n", {32, 64, 128, 256}),
                                           listed("split", {1, 2, 4, 8}), listed("flavour", {0, 1, 2})},
                                          {});
  std::vector<std::vector<double>> sizes_;
  std::unique_ptr<SharedModel> model_;
};

// By turns, with an eighth of the space compiled.
TEST_F(SharedSearchTest, FindsNearlyTheBestOfManySizesInAFewTrialsEach) {
  std::vector<double> least(sizes_.size(), std::numeric_limits<double>::infinity());
  std::size_t trials = 0;
  for (int round = 0; round < 4; ++round)
    for (const std::size_t size : covering_order(sizes_)) {
      if (const std::size_t turn = model_->turn(); trials % 7 == 0)
        for (const Configuration& one : model_->to_compile(turn, 1)) model_->compiled(turn, one);
      auto chosen = model_->to_measure(size, 4, 0, 0.005);
      if (chosen.empty() && round == 0) chosen = model_->to_compile(size, 1);
      for (const Configuration& one : chosen) least[size] = std::min(least[size], measure(size, one)), ++trials;
    }
  double regret = 0;
  for (std::size_t size = 0; size < sizes_.size(); ++size)
    regret += (least[size] / best(size) - 1) / static_cast<double>(sizes_.size());
  // Times jump with each wave of tiles, which no smooth model knows.
  EXPECT_LT(regret, 0.08);
  EXPECT_LT(static_cast<double>(trials) / static_cast<double>(sizes_.size()), 17);
}

TEST_F(SharedSearchTest, NeverCompilesAnythingTwiceNorWhatWasTried) {
  measure_most(0);
  std::vector<Configuration> seen;
  for (auto found = model_->to_compile(1, 7); !found.empty(); found = model_->to_compile(1, 7))
    for (const Configuration& one : found) {
      EXPECT_EQ(std::ranges::count(seen, one), 0);
      seen.push_back(one);
    }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(space_.size()) / 3);
}

TEST_F(SharedSearchTest, MeasuresOnlyWhatIsCompiledOrWasTriedElsewhere) {
  EXPECT_TRUE(model_->to_measure(3, 4, 4, 0).empty());
  const Configuration one = space_.at(5), other = space_.at(7);
  model_->compiled(0, one);
  EXPECT_EQ(model_->to_measure(3, 4, 4, 0), std::vector{one});
  measure(1, other);
  EXPECT_THAT(model_->to_measure(3, 4, 4, 0), testing::UnorderedElementsAre(one, other));
  measure(3, one);
  EXPECT_EQ(model_->to_measure(3, 4, 4, 0), std::vector{other});
}

TEST_F(SharedSearchTest, WhatIsCompiledIsFoundByItsValuesWhereASizeAllowsOthers) {
  const SearchSpace fewer = SearchSpace::build({listed("tile_m", {64, 128}), listed("tile_n", {32, 64, 128, 256}),
                                                listed("split", {1, 2, 4, 8}), listed("flavour", {0, 1, 2})},
                                               {});
  model_ = std::make_unique<SharedModel>(space_, sizes_, 1);
  model_->add(0, space_);
  model_->add(1, fewer);
  const auto at = [](const SearchSpace& space, std::int64_t tile_m) {
    return space
        .find({{"tile_m", tile_m},
               {"tile_n", std::int64_t{32}},
               {"split", std::int64_t{1}},
               {"flavour", std::int64_t{0}}})
        .value();
  };
  model_->compiled(0, at(space_, 128));
  model_->compiled(0, at(space_, 256));
  EXPECT_EQ(model_->to_measure(1, 4, 4, 0), std::vector{at(fewer, 128)});
}

TEST_F(SharedSearchTest, MeasuresNothingThatIsNotExpectedToBeWorthIt) {
  measure_most(0);
  measure_most(1);
  EXPECT_TRUE(model_->to_measure(0, 4, 0, 10).empty());
  EXPECT_EQ(model_->to_measure(0, 4, 2, 10).size(), 0u) << "all that is compiled was tried here";
  model_->compiled(0, space_.at(1));
  EXPECT_EQ(model_->to_measure(0, 4, 2, 10).size(), 1u);
}

TEST_F(SharedSearchTest, EverySizeGetsItsTurnAndHopefulOnesMoreOften) {
  measure_most(0);
  std::vector<int> turns(sizes_.size(), 0);
  for (int i = 0; i < 100; ++i) {
    const std::size_t size = model_->turn();
    ++turns[size];
    model_->to_compile(size, 1);
  }
  EXPECT_THAT(turns, testing::Each(testing::Ge(1)));
  EXPECT_LE(turns[0], 2) << "most of it was tried there";
}

TEST_F(SharedSearchTest, AFirstGuessDecidesWhatIsCompiledBeforeAnythingIsKnown) {
  const auto guess = [this](const Configuration& configuration) { return std::log(time(9, configuration)); };
  model_->add(9, space_, guess);
  double guided = 0, mean = 0;
  const auto found = model_->to_compile(9, 4);
  for (const Configuration& one : found) guided += guess(one) / 4;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(space_.size()); ++i)
    mean += guess(space_.at(i)) / static_cast<double>(space_.size());
  EXPECT_LT(guided, mean);
}

TEST_F(SharedSearchTest, ProposesOnlyWhatTheSizesOwnConstraintsAllow) {
  measure_most(0);
  const SearchSpace narrow =
      SearchSpace::build({listed("tile_m", {32, 64, 128, 256}), listed("tile_n", {32, 64, 128, 256}),
                          listed("split", {1, 2, 4, 8}), listed("flavour", {0, 1, 2})},
                         {Constraint{"split == 8", {}, {}}});
  model_->add(1, narrow);
  auto found = model_->to_measure(1, 4, 4, 0);
  EXPECT_EQ(found.size(), 4u);
  for (Configuration& one : model_->to_compile(1, 4)) found.push_back(std::move(one));
  for (const Configuration& configuration : found) {
    EXPECT_TRUE(narrow.contains(configuration));
    EXPECT_EQ(to_text(*find_value(narrow.values(configuration), "split")), "8");
  }
}

TEST(GivenStrategy, ProposesWhatItWasGivenOnceAndTellsOfTheResults) {
  std::vector<Configuration> told;
  GivenStrategy given([&](const Trial& trial) { told.push_back(trial.configuration); });
  const Configuration one{{1}}, other{{2}};
  given.give({one, other});
  EXPECT_EQ(given.ask(1), std::vector{one});
  EXPECT_EQ(given.ask(5), std::vector{other});
  EXPECT_TRUE(given.ask(5).empty());
  given.tell(Trial{.configuration = other});
  EXPECT_EQ(told, std::vector{other});
}

}  // namespace
}  // namespace warptune::search
