// Whole trials of kernels that reach the host's memory, on the host backend: what is wrong there is found as in any
// other memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/host_session.h"
#include "tests/support/managed_template.h"

namespace warptune::tuner {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class HostMemoryTrials : public testing::Test {
 protected:
  std::vector<search::Trial> trials(const TextChanges& changes = {}) {
    write_managed_template(folder_, changes);
    return exhaustive_trials(folder_);
  }

  void expect_all(const TextChanges& changes, const testing::Matcher<std::string>& message) {
    const auto all = trials(changes);
    EXPECT_EQ(all.size(), 3u);
    for (const search::Trial& trial : all) {
      EXPECT_EQ(trial.outcome, search::Outcome::wrong_result);
      EXPECT_THAT(trial.message, message);
    }
  }

  TemporaryFolder folder_;
};

TEST_F(HostMemoryTrials, OfARightKernelAreCorrectInEveryKindOfMemory) {
  const auto all = trials();
  EXPECT_EQ(all.size(), 3u);
  for (const search::Trial& trial : all) EXPECT_EQ(trial.outcome, search::Outcome::correct) << trial.message;
}

TEST_F(HostMemoryTrials, FindAnElementThatIsNeverWritten) {
  expect_all({{"if (i < count)", "if (i < count - 1)"}}, HasSubstr("out[999] (element 999)"));
}

// A guard's bytes depend on its address: now and then one of those that are written is what it was.
TEST_F(HostMemoryTrials, FindAWriteBeyondTheEnd) {
  expect_all({{"out[i] = 2 * in[i];", "out[i] = 2 * in[i]; if (i == 0) out[count] = 1;"}},
             ContainsRegex("out of bounds: out was written [1-4]( to [2-4])? bytes? past its end"));
}

TEST_F(HostMemoryTrials, FindAWriteToAnInput) {
  expect_all({{"out[i] = 2 * in[i];", "out[i] = 2 * in[i], in[i] += 1;"}}, HasSubstr("in, an input, was written"));
}

TEST_F(HostMemoryTrials, FindAWriteBeforeAnInput) {
  expect_all({{"out[i] = 2 * in[i];", "out[i] = 2 * in[i]; if (i == 0) in[-1] = 1;"}},
             ContainsRegex("out of bounds: in was written [1-4] bytes? before its start"));
}

TEST_F(HostMemoryTrials, OfOneConfigurationDoNotServeTheNext) {
  const auto all = trials({{"if (i < count)", "if (i < count && PREFETCH)"}});
  EXPECT_EQ(std::ranges::count(all, search::Outcome::correct, &search::Trial::outcome), 1);
  EXPECT_EQ(std::ranges::count(all, search::Outcome::wrong_result, &search::Trial::outcome), 2);
}

TEST_F(HostMemoryTrials, ThatPrefetchBeyondTheEndNeverRun) {
  for (const search::Trial& trial : trials({{"elements = \"n - 10\"", "elements = \"n\""}}))
    if (trial.outcome != search::Outcome::correct) {
      EXPECT_EQ(trial.outcome, search::Outcome::constraint_violation);
      EXPECT_THAT(trial.message, HasSubstr("a prefetch of 4000 bytes at byte 40 leaves in, which has 4000 bytes"));
      return;
    }
  FAIL() << "every prefetch ran";
}

}  // namespace
}  // namespace warptune::tuner
