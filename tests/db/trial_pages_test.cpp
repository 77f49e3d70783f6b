// A session's trials in pages: complete, in order, and steady while others record.
#include <gmock/gmock.h>

#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using search::Outcome;
using testing::ElementsAre;
using testing::Pair;

class TrialPages : public StoreTest {
 protected:
  // Two sessions, recorded in turns; each third trial fails.
  TrialPages() {
    session = store.create_session(gemm_session(1024));
    const SessionId other = store.create_session(gemm_session(64));
    for (std::int64_t i = 0; i < 25; ++i) {
      ids.push_back(add(session, i));
      add(other, i);
    }
  }

  TrialId add(SessionId to, std::int64_t i) {
    // Slower and slower, in two runs: by number and by objective are different orders; some are equal.
    search::Trial trial = i % 3 == 2 ? failed_trial(i % 2 ? Outcome::timeout : Outcome::crash, "no")
                                     : correct_trial(static_cast<double>(1 + (25 - i) / 4));
    return store.record(to, configuration(i), trial);
  }

  static std::vector<TrialId> numbers(const TrialPage& page) {
    std::vector<TrialId> result;
    for (const StoredTrial& trial : page.trials) result.push_back(trial.id);
    return result;
  }

  // All pages from the first on; and that going back from the last gives the same.
  std::vector<TrialId> all(TrialPageRequest request) {
    std::vector<TrialId> forwards;
    std::vector<std::vector<TrialId>> pages;
    for (bool more = true; more;) {
      const TrialPage page = store.trial_page(session, request);
      pages.push_back(numbers(page));
      EXPECT_EQ(page.more_before, pages.size() > 1);
      forwards.insert(forwards.end(), pages.back().begin(), pages.back().end());
      more = page.more_after;
      if (!page.trials.empty()) request.after = page.trials.back().id;
    }
    request.after.reset();
    for (std::size_t i = pages.size() - 1; i > 0; --i) {
      request.before = pages[i].front();
      const TrialPage page = store.trial_page(session, request);
      EXPECT_EQ(numbers(page), pages[i - 1]);
      EXPECT_TRUE(page.more_after);
      EXPECT_EQ(page.more_before, i > 1);
    }
    return forwards;
  }

  Store store = open();
  SessionId session = 0;
  std::vector<TrialId> ids;
};

TEST_F(TrialPages, GiveEachTrialOfTheSessionOnceInTheOrderOfRecording) {
  for (const std::size_t limit : {1, 7, 24, 25, 100}) {
    TrialPageRequest request;
    request.limit = limit;
    EXPECT_EQ(all(request), ids) << limit;
  }
}

TEST_F(TrialPages, AreOfOneOutcomeIfAsked) {
  TrialPageRequest request;
  request.limit = 2;
  request.outcome = Outcome::timeout;
  EXPECT_THAT(all(request), ElementsAre(ids[5], ids[11], ids[17], ids[23]));
  request.outcome = Outcome::wrong_result;
  EXPECT_TRUE(all(request).empty());
}

TEST_F(TrialPages, PutTheBestFirstAndEqualOnesByNumber) {
  TrialPageRequest request;
  request.limit = 4;
  request.order = TrialOrder::best;
  std::vector<TrialId> expected;
  for (int objective = 1; objective < 9; ++objective)
    for (std::int64_t i = 0; i < 25; ++i)
      if (i % 3 != 2 && 1 + (25 - i) / 4 == objective) expected.push_back(ids[static_cast<std::size_t>(i)]);
  EXPECT_EQ(all(request), expected);
}

TEST_F(TrialPages, StayWhereTheyAreWhileOthersRecord) {
  TrialPageRequest request;
  request.limit = 10;
  const TrialPage first = store.trial_page(session, request);
  for (std::int64_t i = 30; i < 40; ++i) add(session, i);
  request.after = first.trials.back().id;
  EXPECT_EQ(numbers(store.trial_page(session, request)).front(), ids[10]);
}

TEST_F(TrialPages, CountOutcomesAlsoAfterATrialIsReplaced) {
  EXPECT_THAT(store.outcome_counts(session),
              ElementsAre(Pair(Outcome::correct, 17), Pair(Outcome::timeout, 4), Pair(Outcome::crash, 4)));
  store.record(session, configuration(0), failed_trial(Outcome::crash, "later"));
  EXPECT_EQ(store.outcome_counts(session)[Outcome::crash], 5);
}

}  // namespace
}  // namespace warptune::db
