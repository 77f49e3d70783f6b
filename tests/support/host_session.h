// Whole sessions of a small template on the host backend, in a folder of their own.
#pragma once

#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/temporary_folder.h"
#include "tuner/session/tuning.h"

namespace warptune {

class HostSession : public testing::Test {
 protected:
  tuner::TuneRequest request() {
    tuner::TuneRequest request;
    request.manifest = folder_.path() / "template.toml";
    request.device = "host";
    request.strategy = "exhaustive";
    request.sizes = {{"n", std::int64_t{1001}}};
    request.evaluator.policy.max_samples = 1;
    request.evaluator.policy.min_samples = 1;
    request.evaluator.policy.warmup_seconds = 0;
    request.finals = 0;
    return request;
  }

  db::Store store() { return db::Store::open(folder_.path() / "s.db", db::OpenMode::read_write); }

  TemporaryFolder folder_;
  std::atomic<bool> stop_{false};
};

// Of every configuration of the template in the folder, with finals of two.
inline std::vector<search::Trial> exhaustive_trials(const TemporaryFolder& folder) {
  tuner::TuneRequest request;
  request.manifest = folder.path() / "template.toml";
  request.device = "host";
  request.strategy = "exhaustive";
  request.evaluator.policy.max_samples = request.evaluator.policy.min_samples = 2;
  request.evaluator.policy.warmup_seconds = 0;
  request.finals = 2;
  db::Store store = db::Store::open(folder.path() / "s.db", db::OpenMode::read_write);
  const std::atomic<bool> stop{false};
  tuner::Tuning tuning(request, store, stop, nullptr);
  tuning.session().run();
  return tuning.session().result().trials;
}

}  // namespace warptune
