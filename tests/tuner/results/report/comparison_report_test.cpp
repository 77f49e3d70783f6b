#include "tuner/results/report/comparison_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/tuner/session/compare/test_strategies.h"

namespace warptune::tuner::compare {
namespace {

using testing::HasSubstr;

Comparison sample() {
  Comparison comparison{.checkpoints = {5, 16}};
  comparison.spaces = {{.name = "conv, A100"}, {.name = "gemm"}};
  Result weak, strong;
  weak.score.p_direct = {0.25, 0.01};
  weak.score.ratio = {{1.5, 0.1}, {1.2, 0.1}};
  strong.score.ratio = {{1.1, 0.1}, {1, 0}};
  weak.score.evaluations_to[1] = {std::numeric_limits<double>::infinity(), 0};
  strong.score.p_direct = {0.75, 0.02};
  comparison.strategies = {{"weak", {weak, weak}, weak}, {"strong", {strong, strong}, strong}};
  return comparison;
}

TEST(Table, HasTheBestFirst) {
  const std::string table = to_table(sample());
  EXPECT_LT(table.find("\nstrong"), table.find("\nweak"));
  EXPECT_THAT(table, HasSubstr("0.750 ±0.020"));
  EXPECT_THAT(table, HasSubstr("CONV, A100"));
}

TEST(Table, ShowsWhatWasNeverReachedAsADash) {
  EXPECT_THAT(to_table(sample()), HasSubstr(" -\n"));
}

TEST(Json, HoldsEveryFigure) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  const auto& weak = json["strategies"][0];
  EXPECT_EQ(weak["strategy"], "weak");
  EXPECT_EQ(weak["overall"]["p_direct"]["value"], 0.25);
  EXPECT_EQ(weak["spaces"]["conv, A100"]["ratio_after"]["5"]["error"], 0.1);
  EXPECT_TRUE(weak["overall"]["evaluations_to_within"]["0.01"]["value"].is_null());
}

TEST(Csv, HasALineForEachStrategyAndSpaceAndOneOverAll) {
  const std::string csv = to_csv(sample());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 3);
  EXPECT_THAT(csv, HasSubstr("weak,\"conv, A100\",0.25,0.01,"));
  EXPECT_THAT(csv, HasSubstr("strong,*,0.75,0.02,"));
  EXPECT_THAT(csv, testing::Not(HasSubstr("inf")));
}

// Every figure of a comparison is in its document.
TEST(Json, IsTheSameForTheSameSeedOnAnyNumberOfThreads) {
  const replay::Recording one = valley("one"), two = valley("two", 300);
  Request on_two = request({&one, &two}, {"random", "sorted"});
  Request on_one = on_two, other_seed = on_two;
  on_one.threads = 1;
  other_seed.seed = 2;
  EXPECT_EQ(to_json(compare(on_two)), to_json(compare(on_one)));
  EXPECT_NE(to_json(compare(on_two)), to_json(compare(other_seed)));
}

}  // namespace
}  // namespace warptune::tuner::compare
