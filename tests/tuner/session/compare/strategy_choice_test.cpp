#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tuner/session/compare/comparison.h"

namespace warptune::tuner::compare {
namespace {

TEST(ParseStrategies, ReadsNamesAndHyperparameters) {
  const auto choices = parse_strategies("random,annealing:cooling=0.9:restart=true:steps=7:kind=fast", {});
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].name, "random");
  EXPECT_TRUE(choices[0].options.empty());
  EXPECT_EQ(choices[1].name, "annealing");
  EXPECT_EQ(choices[1].text, "annealing:cooling=0.9:restart=true:steps=7:kind=fast");
  EXPECT_EQ(choices[1].options,
            (search::NamedValues{
                {"cooling", 0.9}, {"restart", true}, {"steps", std::int64_t{7}}, {"kind", std::string("fast")}}));
}

TEST(ParseStrategies, ExpandsAll) {
  const auto choices = parse_strategies("all,random:a=1", {"random", "spread"});
  ASSERT_EQ(choices.size(), 3u);
  EXPECT_EQ(choices[1].name, "spread");
}

TEST(ParseStrategies, QuotesWhatItCannotRead) {
  EXPECT_THROW(parse_strategies("", {}), std::invalid_argument);
  EXPECT_THROW(parse_strategies("random,", {}), std::invalid_argument);
  try {
    parse_strategies("random:cooling", {});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'cooling' is no hyperparameter"));
  }
}

}  // namespace
}  // namespace warptune::tuner::compare
