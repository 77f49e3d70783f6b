// Whole trials of a template that copies boxes through a tensor map, on the host backend.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/boxes_template.h"
#include "tests/support/host_session.h"

namespace warptune::tuner {
namespace {

TEST(HostTensorMaps, AreRightInEveryConfigurationThatTheRulesAllow) {
  const TemporaryFolder folder;
  write_boxes_template(folder);
  const std::vector<search::Trial> trials = exhaustive_trials(folder);
  EXPECT_EQ(trials.size(), 8u);
  for (const search::Trial& trial : trials) {
    const bool allowed = trial.configuration.choices[0] != 3;  // of BOX's values, 512
    EXPECT_EQ(trial.outcome, allowed ? search::Outcome::correct : search::Outcome::resource_limit) << trial.message;
    const std::string reason = allowed ? "" : "an extent of the box is 512, expected 1 to 256";
    EXPECT_THAT(trial.message, testing::HasSubstr(reason));
  }
}

}  // namespace
}  // namespace warptune::tuner
