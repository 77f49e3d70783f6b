// Nothing wins that fails on inputs that no run has seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/session/formula_session.h"

namespace warptune::tuner {
namespace {

class ProofSession : public SessionTest {
 protected:
  std::string best(const SessionResult& result) const {
    return result.best ? space_.key(result.trials.at(*result.best).configuration) : "none";
  }
};

TEST_F(ProofSession, WithoutFinalsTheWinnerIsProvedAtTheEnd) {
  EXPECT_EQ(best(run("exhaustive", {})), "x=0");
  EXPECT_THAT(evaluator_->proofs, testing::ElementsAre(0));
}

TEST_F(ProofSession, WhatRemembersGivesItsPlaceToTheNextBest) {
  remembers_below_ = 2;
  const SessionResult result = run("exhaustive", {});
  EXPECT_EQ(best(result), "x=2");
  EXPECT_THAT(evaluator_->proofs, testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(store_.winner(id_)->trial, result.ids.at(*result.best));
  const auto stored = store_.trials(id_);
  EXPECT_EQ(
      std::ranges::count_if(stored, [](const db::StoredTrial& each) { return each.trial.message == "it remembers"; }),
      2);
  EXPECT_EQ(stored.size(), result.trials.size());
}

TEST_F(ProofSession, FinalsProveTheirFinalistsOnce) {
  finals_.candidates = 3;
  finals_.given = true;
  EXPECT_EQ(best(run("exhaustive", {}, nullptr, 1)), "x=0");
  EXPECT_THAT(evaluator_->proofs, testing::UnorderedElementsAre(0, 1)) << "the best and the default";
}

TEST_F(ProofSession, AnEarlierWinnerThatRemembersIsWithdrawn) {
  EXPECT_EQ(best(run("exhaustive", {})), "x=0");
  remembers_below_ = 1;
  finals_.candidates = 3;
  finals_.given = true;
  EXPECT_EQ(best(run("exhaustive", {}, nullptr, 1)), "x=1");
  EXPECT_EQ(store_.trial(store_.winner(id_)->trial)->trial.outcome, search::Outcome::correct);
}

TEST_F(ProofSession, WhereAllRememberNothingWins) {
  EXPECT_EQ(best(run("exhaustive", {})), "x=0");
  remembers_below_ = 10;
  EXPECT_EQ(best(run("exhaustive", {})), "none");
  EXPECT_FALSE(store_.winner(id_).has_value());
}

}  // namespace
}  // namespace warptune::tuner
