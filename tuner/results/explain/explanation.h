// Gathers all that can be said of a session's winner, or of another of its trials, from what the store keeps.
#pragma once

#include <optional>
#include <vector>

#include "tuner/device/roofline/occupancy.h"
#include "tuner/device/roofline/roofline.h"
#include "tuner/results/explain/advice.h"
#include "tuner/results/explain/changes.h"
#include "tuner/results/explain/coverage.h"
#include "tuner/results/explain/importance.h"

namespace warptune::tuner {

// Shows one kernel launch of a trial, and how it fills the device.
struct LaunchView {
  search::LaunchUse launch;
  Residency residency;
};

// Shows a trial by itself, without comparing it with others.
struct TrialView {
  db::TrialId trial = 0;
  std::vector<LaunchView> launches;  // that with the most threads first; an older trial has only one, without a grid
  std::optional<Attainment> attainment;  // of its settled time; nothing without work or roofs
  std::optional<double> roof_time_ms;    // what its settled time would be at the nearest roof
};
TrialView view(const Evidence& evidence, const db::StoredTrial& trial);

struct Explanation {
  std::optional<TrialView> winner;  // nothing without one: then the rest says why, or what is known
  std::vector<ParameterChanges> changes;
  Interactions interactions;
  ImportanceReport importance;
  SearchProgress progress;
  std::vector<ParameterCoverage> coverage;
  std::optional<Exclusions> exclusions;
  std::optional<AccuracyFront> accuracy;
  std::vector<Advice> advice;
};
Explanation explain(const Evidence& evidence);

// Says why one trial is not the winner: what differs, and what each difference costs alone where that was measured.
struct TrialDifference {
  std::string parameter;
  search::Value value, winners;
  const Change* alone = nullptr;  // into the explanation's changes; null where it was not measured
};
std::vector<TrialDifference> differences(const Evidence& evidence, const Explanation& explanation,
                                         const db::StoredTrial& trial);

}  // namespace warptune::tuner
