// Several stores read as one: the user's own on top.
#include "db/store_set.h"

#include <gmock/gmock.h>

#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using testing::ElementsAre;

class StoreSetTest : public StoreTest {
 protected:
  SessionId tune(const std::string& store, std::int64_t m, double objective) {
    Store open_store = open(store);
    const SessionId id = open_store.create_session(gemm_session(m));
    const TrialId trial = open_store.record(id, configuration(1), correct_trial(objective));
    open_store.set_winner(id, {trial, objective, 0.01, 10.0, {}});
    advance(std::chrono::hours(1));
    return id;
  }

  std::vector<std::pair<std::size_t, std::int64_t>> sizes(const HistoryFilter& filter) {
    std::vector<std::pair<std::size_t, std::int64_t>> rows;
    for (const auto& [session, store] : StoreSet({file("own.db"), file("system.db")}).history(filter))
      rows.emplace_back(store, std::get<std::int64_t>(search::find_value(session.key.problem_size, "M")[0]));
    return rows;
  }
};

TEST_F(StoreSetTest, ListsTheSessionsOfAllInOneOrder) {
  tune("own.db", 1, 1);
  tune("system.db", 2, 1);
  tune("own.db", 3, 1);
  EXPECT_THAT(sizes({}), ElementsAre(std::pair(0, 3), std::pair(1, 2), std::pair(0, 1)));
  EXPECT_THAT(sizes({.sort = HistorySort::oldest}), ElementsAre(std::pair(0, 1), std::pair(1, 2), std::pair(0, 3)));
  EXPECT_THAT(sizes({.sort = HistorySort::size}), ElementsAre(std::pair(0, 1), std::pair(1, 2), std::pair(0, 3)));
  EXPECT_THAT(sizes({.limit = 1, .offset = 1}), ElementsAre(std::pair(1, 2)));
  EXPECT_THAT(sizes({.limit = 5, .offset = 3}), testing::IsEmpty());
}

TEST_F(StoreSetTest, ADevicesWholeNameInOneStoreIsNoPartOfAnothersInTheNext) {
  SessionRecord shorter = gemm_session(1), longer = gemm_session(2);
  shorter.key.device.name = "NVIDIA H200";
  longer.key.device.name = "NVIDIA H200 NVL";
  open("own.db").create_session(shorter);
  open("system.db").create_session(longer);
  EXPECT_THAT(sizes({.device = "NVIDIA H200"}), ElementsAre(std::pair(0, 1)));
  EXPECT_THAT(sizes({.device = "h200"}), testing::UnorderedElementsAre(std::pair(0, 1), std::pair(1, 2)));
}

TEST_F(StoreSetTest, OrdersAsOneStoreWouldWhateverTheSort) {
  tune("own.db", 1, 1);
  tune("system.db", 2, 1);
  {
    Store own = open("own.db");
    own.record(1, configuration(2), correct_trial(3));
    own.set_session_state(1, SessionState::finished);
  }
  Store merged = open("merged.db");
  merged.merge(file("own.db"));
  merged.merge(file("system.db"));
  for (const HistorySort sort : {HistorySort::newest, HistorySort::oldest, HistorySort::updated, HistorySort::kernel,
                                 HistorySort::device, HistorySort::driver, HistorySort::size, HistorySort::trials}) {
    std::vector<std::int64_t> expected, found;
    for (const SessionRecord& session : merged.history({.sort = sort}))
      expected.push_back(std::get<std::int64_t>(*search::find_value(session.key.problem_size, "M")));
    for (const auto& [store, m] : sizes({.sort = sort})) found.push_back(m);
    EXPECT_EQ(found, expected) << static_cast<int>(sort);
  }
}

TEST_F(StoreSetTest, TheUsersOwnWinnerHidesTheSystemsEvenANewerOne) {
  tune("own.db", 1, 5);
  tune("system.db", 1, 4);
  tune("system.db", 2, 3);
  const auto best = StoreSet({file("own.db"), file("system.db")}).best({});
  ASSERT_EQ(best.size(), 2u);
  for (const auto& [record, store] : best) EXPECT_EQ(store, record.winner.objective == 5 ? 0u : 1u);
  EXPECT_EQ(StoreSet({file("own.db"), file("system.db")}).best({.limit = 1}).size(), 1u);
}

TEST_F(StoreSetTest, NeedsNoPermissionToWrite) {
  if (address_on_server) GTEST_SKIP() << "about files";
  tune("own.db", 1, 5);
  tune("system/system.db", 2, 3);
  std::filesystem::permissions(file("system"), std::filesystem::perms(0555));
  EXPECT_EQ(run_unprivileged([&] {
              const StoreSet set({file("own.db"), file("system/system.db")});
              EXPECT_EQ(set.history({}).size(), 2u);
              EXPECT_NE(set.store(1).notice(), "");
            }),
            0);
  std::filesystem::permissions(file("system"), std::filesystem::perms(0755));
}

}  // namespace
}  // namespace warptune::db
