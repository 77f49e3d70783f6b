// Many sizes in one run, and few kernels for them.
#include <nlohmann/json.hpp>

#include "tests/tuner/cli/tuned_store.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

class CliSizes : public TunedStore {};

TEST_F(CliSizes, ShareTheBudgetAndAreServedByFewKernels) {
  folder_.write("sizes.txt", "# three sizes\nn=100\n\nn=5000  # comment\n  n=300,\r\n");
  const ProgramRun tuned = tune("--sizes " + path("sizes.txt") + " --budget 12 --format csv");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("problem_size,session,trials,slices,seconds,time_ms,value,speed_up,configuration"));
  std::int64_t trials = 0;
  const auto sessions = store().history({});
  ASSERT_EQ(sessions.size(), 3u);
  for (const db::SessionRecord& session : sessions) {
    EXPECT_GE(session.trials, 2);
    trials += session.trials;
  }
  EXPECT_EQ(trials, 12);

  const ProgramRun selected = run("select doubling --kernels 3 --measure --candidates 2 --format json");
  ASSERT_EQ(selected.exit_code, 0) << selected.err;
  const auto document = nlohmann::json::parse(selected.out);
  EXPECT_EQ(document["schema"], "warptune/2");
  EXPECT_EQ(document["sizes"].size(), 3u);
  ASSERT_EQ(document["regret"].size(), 3u);  // for 1, 2 and 3 kernels
  for (const auto& row : document["regret"]) EXPECT_FALSE(row["slower_than_default"]);
  EXPECT_GE(document["regret"][0]["worst"], document["regret"][2]["worst"]);
  for (const auto& row : document["sizes"]) {
    EXPECT_LT(row["kernel"], document["kernels"].size());
    if (row["default"].is_number()) {
      EXPECT_LE(row["value"], row["default"]);
    }
  }
  EXPECT_THAT(run("select doubling").out, HasSubstr("WORST REGRET"));
}

TEST_F(CliSizes, SaysWhichLineCannotBeRead) {
  folder_.write("sizes.txt", "n=100\nn=many\n");
  EXPECT_THAT(tune("--sizes " + path("sizes.txt")).err, HasSubstr("sizes.txt, line 2: "));
  folder_.write("sizes.txt", "n=100\nn=100\n");
  EXPECT_THAT(tune("--sizes " + path("sizes.txt")).err, HasSubstr("line 2: n=100 is there twice"));
  folder_.write("sizes.txt", "# none\n");
  EXPECT_EQ(tune("--sizes " + path("sizes.txt")).exit_code, 3);
  EXPECT_EQ(tune("--sizes " + path("none.txt")).exit_code, 2);
}

TEST_F(CliSizes, SelectingNeedsWinners) {
  EXPECT_EQ(run("select doubling").exit_code, 6);
}

}  // namespace
}  // namespace warptune::tuner
