#include "tuner/measure/sampling/same_bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tuner/results/check/policy_text.h"

namespace warptune::tuner {
namespace {

search::Trial correct(const std::string& data, const std::string& outputs) {
  search::Trial trial;
  trial.measurement = search::Measurement{{1.0}, 1.0, 0.01, false};
  trial.objectives = {1.0, 2.0};
  trial.bits = search::OutputBits{data, outputs};
  return trial;
}

const std::string inputs = "00000000000000da", these = "00000000000000b1", others = "00000000000000b2";

TEST(SameBits, AreReadBackFromTheirText) {
  for (const std::string text : {"", "default", "0123456789abcdef-fedcba9876543210"})
    EXPECT_EQ(same_bits_from_text(text).text(), text);
  for (const char* text :
       {"Default", "12-34", "0123456789abcdef", "0123456789abcdef-", "0123456789abcdef-fedcba987654321g"})
    EXPECT_THROW(same_bits_from_text(text), std::invalid_argument) << text;
  EXPECT_EQ(same_bits_as({inputs, these}).text(), inputs + "-" + these);
}

TEST(SameBits, AreAPartOfThePolicysTextOnlyIfTheyAreAskedFor) {
  MeasurePolicy policy;
  EXPECT_EQ(policy.text().find("bits"), std::string::npos) << "keys of earlier sessions stay";
  policy.same_bits = same_bits_from_text("default");
  EXPECT_EQ(policy_from_text(policy.text())->same_bits.as, SameBits::As::default_configuration);
  policy.same_bits = same_bits_as({inputs, these});
  EXPECT_EQ(policy_from_text(policy.text())->text(), policy.text());
  EXPECT_FALSE(policy_from_text(policy.text() + "x"));
}

TEST(BitsRule, AdmitsEverythingIfNothingIsAsked) {
  BitsRule rule({});
  rule.meet(correct(inputs, these), true);
  EXPECT_TRUE(rule.settled());
  EXPECT_TRUE(rule.admits(correct(inputs, others)));
  EXPECT_TRUE(rule.admits({}));
}

TEST(BitsRule, TakesTheDefaultsBitsAndNoOthers) {
  BitsRule rule(same_bits_from_text("default"));
  EXPECT_FALSE(rule.settled());
  rule.meet(correct(inputs, these), true);
  rule.meet(correct(inputs, others), false);
  EXPECT_TRUE(rule.settled());
  EXPECT_TRUE(rule.admits(correct(inputs, these)));
  EXPECT_FALSE(rule.admits(correct(inputs, others)));
  EXPECT_FALSE(rule.admits(correct(inputs, ""))) << "declared nondeterministic";
  EXPECT_FALSE(rule.admits({})) << "not verified";
}

TEST(BitsRule, SaysWhyNothingCanWin) {
  search::Trial unverified = correct(inputs, these);
  unverified.bits.reset();
  search::Trial failed;
  failed.outcome = search::Outcome::crash;
  for (const auto& [trial, word] : {std::pair(failed, "failed"), std::pair(correct(inputs, ""), "nondeterministic"),
                                    std::pair(unverified, "verified")}) {
    BitsRule rule(same_bits_from_text("default"));
    rule.meet(trial, true);
    EXPECT_NE(rule.hopeless().find(word), std::string::npos) << rule.hopeless();
    EXPECT_TRUE(rule.settled());
    EXPECT_FALSE(rule.admits(correct(inputs, these)));
  }
  BitsRule known(same_bits_as({inputs, these}));
  EXPECT_TRUE(known.settled());
  known.meet(failed, true);
  EXPECT_TRUE(known.hopeless().empty()) << "the default decides nothing here";
  known.meet(correct("00000000000000db", these), false);
  EXPECT_NE(known.hopeless().find("other inputs"), std::string::npos) << known.hopeless();
}

TEST(BitsRule, WhatIsRuledOutKeepsItsMeasurementAndCannotWin) {
  search::Trial trial = correct(inputs, others);
  EXPECT_TRUE(may_win(trial));
  rule_out(trial);
  EXPECT_FALSE(may_win(trial));
  EXPECT_TRUE(trial.correct());
  EXPECT_TRUE(std::isinf(trial.objectives.front()));
  EXPECT_EQ(trial.objectives.at(1), 2.0);
  EXPECT_EQ(trial.measurement->median_ms, 1.0);
}

}  // namespace
}  // namespace warptune::tuner
