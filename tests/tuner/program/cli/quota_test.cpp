// Quotas of a store on a server: who sets them, what they hold back, and where they are said.
#include "tests/tuner/program/cli/cluster_fixture.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(CliCluster, BeyondAQuotaWorkStaysQueuedAndEveryVerbSaysWhy) {
  const std::string submit_two =
      "submit " + folder_.path().string() + " --strategy random --finals 0 --budget 3 --sizes " + path("sizes.txt");
  EXPECT_EQ(on_server("gc").exit_code, 0);  // makes the store
  ASSERT_EQ(as_user("alice", submit_two).exit_code, 0);
  const std::string alice = "alice_" + database_;
  EXPECT_THAT(on_server("quota " + alice + " 0.01s").out, HasSubstr("0.01 s a week"));
  const ProgramRun worked = on_server("work --device host --drain");
  EXPECT_EQ(worked.exit_code, 0);
  EXPECT_THAT(worked.err, HasSubstr("1 of " + alice + " stay queued: over the quota of 0.01 s a week until 2"));
  EXPECT_EQ(queue().find(1)->state, db::WorkState::done);  // what had begun
  EXPECT_EQ(queue().find(2)->state, db::WorkState::queued);
  const std::string why = "over the quota of 0.01 s a week until 2";
  EXPECT_THAT(on_server("queue --format csv").out, HasSubstr(why));
  EXPECT_THAT(on_server("wait 2 --timeout 1 --format csv").out, HasSubstr(why));
  EXPECT_THAT(as_user("alice", submit_two).err, HasSubstr("stays queued for now: " + why));
  EXPECT_THAT(as_user("bob", submit_two).err, Not(HasSubstr("quota")));
  EXPECT_THAT(as_user("bob", "quota --format csv").out, HasSubstr(why));
  EXPECT_EQ(on_server("quota " + alice + " none").exit_code, 0);
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(on_server("wait 1 2 3 4 5 6").exit_code, 0);
}

TEST_F(CliCluster, QuotasAreSetByOwnersInTimesOfDevices) {
  EXPECT_EQ(on_server("gc").exit_code, 0);
  EXPECT_THAT(on_server("quota warptune 90m --per month").out, HasSubstr("1.5 h a month"));
  EXPECT_THAT(on_server("quota warptune 10h --per day --format csv").out, HasSubstr("warptune,36000.0,day,"));
  EXPECT_THAT(on_server("quota").out, HasSubstr("10 h a day"));
  EXPECT_EQ(as_user("carol", "quota warptune 99h").exit_code, 5);
  EXPECT_THAT(as_user("carol", "quota warptune none").err, HasSubstr("only its owners may"));
  EXPECT_THAT(on_server("quota").out, HasSubstr("10 h a day"));
  for (const char* wrong : {"quota warptune -5h", "quota warptune 5", "quota warptune nanh",
                            "quota warptune 5h --per year", "quota warptune --per day"})
    EXPECT_EQ(on_server(wrong).exit_code, 2) << wrong;
  EXPECT_EQ(on_server("quota nobody_there 5h").exit_code, 5);
  EXPECT_EQ(on_server("quota nobody_there").exit_code, 3);
  EXPECT_THAT(on_server("quota --db " + path("file.db")).err, HasSubstr("PostgreSQL"));
  EXPECT_THAT(on_server("quota warptune none").out, Not(HasSubstr("a day")));
  EXPECT_THAT(on_server("quota warptune none").err, HasSubstr("warptune had no quota"));
}

}  // namespace
}  // namespace warptune::tuner
