// Whole trials of a template that copies boxes through a tensor map, on the host backend.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/boxes_template.h"
#include "tuner/session/preparation.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner {
namespace {

TEST(HostTensorMaps, AreRightInEveryConfigurationThatTheRulesAllow) {
  const TemporaryFolder folder;
  write_boxes_template(folder);
  TuneRequest request;
  request.manifest = folder.path() / "template.toml";
  request.device = "host";
  request.strategy = "exhaustive";
  request.evaluator.policy.max_samples = request.evaluator.policy.min_samples = 2;
  request.evaluator.policy.warmup_seconds = 0;
  request.finals = 2;
  db::Store store = db::Store::open(folder.path() / "s.db", db::OpenMode::read_write);
  const std::atomic<bool> stop{false};
  Tuning tuning(request, store, stop, nullptr);
  tuning.session().run();
  const auto& trials = tuning.session().result().trials;
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
