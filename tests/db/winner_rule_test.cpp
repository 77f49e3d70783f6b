// Which of two winners of one session stays: the rule, and the store that keeps to it.
#include "db/tables/winner_rule.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

class WinnerRule : public StoreTest {
 protected:
  WinnerRule() : session_(store_.create_session(gemm_session())) {
    for (const double ms : {1.0, 2.0, 3.0})
      trials_.push_back(store_.record(session_, configuration(static_cast<std::int64_t>(ms)), correct_trial(ms)));
  }

  // Trial `number` wins, without finals.
  Winner searched(std::size_t number, double objective, std::optional<double> error = 0.01) const {
    return {trials_[number], objective, error, {}, {}};
  }

  // Likewise in finals of so many visits, where the other is slower by at least `low` and at most `high`.
  Winner in_finals(std::size_t number, double objective, std::int64_t visits, std::size_t other, double by,
                   double low = -infinite, double high = infinite) const {
    Winner winner = searched(number, objective);
    winner.finalists = {
        {trials_[number], objective, 0.01, visits, 0, 0, 0, objective, 0.01},
        {trials_[other], objective * (1 + by), 0.01, visits, by, low, high, objective * (1 + by), 0.01}};
    if (low <= 0) winner.ties = {trials_[other]};
    return winner;
  }

  TrialId settled_after(const Winner& winner) {
    store_.settle_winner(session_, winner);
    return store_.winner(session_)->trial;
  }

  Store store_ = open();
  SessionId session_;
  std::vector<TrialId> trials_;
};

TEST_F(WinnerRule, TakesTheFirstWinnerThereIs) {
  EXPECT_TRUE(store_.settle_winner(session_, searched(1, 2.0)));
  EXPECT_EQ(store_.winner(session_)->trial, trials_[1]);
}

TEST_F(WinnerRule, FewRoundsDoNotOverruleMany) {
  store_.settle_winner(session_, in_finals(0, 1.0, 8, 1, 0.2, 0.1, 0.3));
  EXPECT_EQ(settled_after(in_finals(1, 0.9, 3, 0, 0.1)), trials_[0]);
  EXPECT_EQ(store_.winner(session_)->finalists[0].visits, 8);
}

TEST_F(WinnerRule, FinalsThatToldTheTwoApartOverruleEarlierOnes) {
  store_.settle_winner(session_, in_finals(0, 1.0, 12, 1, 0.02));
  EXPECT_EQ(settled_after(in_finals(1, 0.9, 8, 0, 0.1, 0.05, 0.2)), trials_[1]);
}

TEST_F(WinnerRule, WhereFinalsCouldNotTellMoreVisitsDecide) {
  store_.settle_winner(session_, in_finals(0, 1.0, 8, 1, 0.02));
  EXPECT_EQ(settled_after(in_finals(1, 0.9, 8, 0, 0.1)), trials_[0]);
  EXPECT_EQ(settled_after(in_finals(1, 0.9, 9, 0, 0.1)), trials_[1]);
}

TEST_F(WinnerRule, FinalsOverruleASearch) {
  store_.settle_winner(session_, searched(0, 1.0));
  EXPECT_EQ(settled_after(in_finals(1, 1.5, 4, 0, 0.1)), trials_[1]);
}

TEST_F(WinnerRule, ASearchOverrulesFinalsOnlyIfItIsBetterByBothFigures) {
  Winner winner = in_finals(1, 5.0, 8, 2, 0.2, 0.1, 0.3);  // under load: the search had measured 2.0
  store_.settle_winner(session_, winner);
  EXPECT_EQ(settled_after(searched(2, 3.0)), trials_[1]) << "better than 5.0, and not than 2.0";
  EXPECT_EQ(settled_after(searched(0, 1.0)), trials_[0]);
}

TEST_F(WinnerRule, WhatLostInFinalsDoesNotComeBackByASearch) {
  store_.settle_winner(session_, in_finals(1, 5.0, 8, 0, 0.2, 0.1, 0.3));
  EXPECT_EQ(settled_after(searched(0, 1.0)), trials_[1]);
}

TEST_F(WinnerRule, WhatIsNotKnownIsNeverSettledOverWhatIs) {
  store_.settle_winner(session_, searched(1, 2.0));
  for (const std::optional<double> unknown : {std::optional(infinite), std::optional(0.0), std::optional<double>()})
    EXPECT_EQ(settled_after(searched(0, 1.0, unknown)), trials_[1]);
  Winner one_round = in_finals(0, 1.0, 1, 1, 0.5);
  one_round.relative_error = infinite;
  EXPECT_EQ(settled_after(one_round), trials_[1]);
}

TEST_F(WinnerRule, WhatTookEquallyLongEveryTimeIsKnown) {
  Winner exact = in_finals(0, 1.0, 3, 1, 1, 1, 1);
  exact.relative_error = 0;
  store_.settle_winner(session_, searched(1, 2.0));
  EXPECT_EQ(settled_after(exact), trials_[0]);
}

TEST_F(WinnerRule, AWinnerThatTurnedOutWrongGivesItsPlaceToAnyOther) {
  store_.settle_winner(session_, in_finals(0, 1.0, 8, 1, 0.2, 0.1, 0.3));
  store_.record(session_, configuration(1), failed_trial(search::Outcome::wrong_result, "3 of 4 are wrong"));
  EXPECT_EQ(settled_after(searched(2, 3.0, infinite)), trials_[2]);
}

TEST_F(WinnerRule, NothingBehindTheDefaultWinsUnlessFinalsToldTheTwoApart) {
  Winner winner = searched(1, 2.93);
  winner.default_trial = trials_[0];
  winner.default_objective = 1.94;
  store_.settle_winner(session_, winner);
  EXPECT_EQ(store_.winner(session_)->trial, trials_[0]);
  EXPECT_EQ(store_.winner(session_)->objective, 1.94);
  EXPECT_TRUE(store_.winner(session_)->relative_error) << "of its own measurement";
  const Winner told = not_behind_default([&] {
    Winner decided = in_finals(1, 2.0, 8, 0, -0.1, 0.01, 0.1);  // medians of other rounds may say otherwise
    decided.default_trial = trials_[0];
    decided.default_objective = 1.8;
    return decided;
  }());
  EXPECT_EQ(told.trial, trials_[1]);
}

TEST_F(WinnerRule, ADefaultThatLeadsStandsFirstAmongTheFinalists) {
  Winner winner = in_finals(1, 2.0, 4, 0, -0.03);
  winner.default_trial = trials_[0];
  winner.default_objective = 1.94;
  const Winner settled = not_behind_default(winner);
  EXPECT_EQ(settled.finalists.front().trial, trials_[0]);
  EXPECT_EQ(settled.finalists.front().slower_by, 0);
}

TEST(WinnerRuleOfStores, IsTheSameInBothOrders) {
  const Foundation known{1.0, 0.01, 0}, unknown{0.5, infinite, 1}, finals{1.005, 0.01, 9}, worse{2.0, 0.01, 40};
  const std::vector<const Foundation*> best_first{&finals, &known, &worse, &unknown};
  for (std::size_t i = 0; i < best_first.size(); ++i)
    for (std::size_t j = i + 1; j < best_first.size(); ++j) {
      EXPECT_TRUE(replaces(*best_first[i], *best_first[j])) << i << " over " << j;
      EXPECT_FALSE(replaces(*best_first[j], *best_first[i])) << j << " over " << i;
    }
}

}  // namespace
}  // namespace warptune::db
