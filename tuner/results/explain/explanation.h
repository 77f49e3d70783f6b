// Gathers all that can be said of a session's winner, or of another of its trials, from what the store keeps, and
// advises what to try next, as far as the session's own figures say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/device/roofline/occupancy.h"
#include "tuner/device/roofline/roofline.h"
#include "tuner/results/explain/changes.h"
#include "tuner/results/explain/coverage.h"
#include "tuner/results/explain/importance.h"

namespace warptune::tuner {

struct Advice {
  enum class Kind {
    few_trials,       // only `count` configurations were tried of `value`
    default_untried,  // the default was not measured, or failed: nothing to compare with
    noisy,            // the winner's error, in `figure`, is beyond the precision that was asked for
    edge,             // the winner has a domain's last or first value, and the one beside it costs `figure` more
    edge_unknown,     // the same where the one beside it was not measured alone
    more_trials,      // the second half of the trials brought `figure`
    enough_trials,    // it brought next to nothing
    neighbours,       // `count` single changes from the winner are neither measured nor excluded
    local_memory,     // `count` bytes a thread: spills, or arrays that are indexed at run time
    idle_device,      // `count` multiprocessors get no block
    tail,             // the last wave leaves `figure` of all places empty
    state_work,       // the winner has no stated work
    measure_roofs,    // the device's roofs are not known
    at_roof,          // `figure` of a roof is reached: only less work makes it faster
  };
  Kind kind = Kind::neighbours;
  std::string parameter = {};
  std::optional<search::Value> value = {};
  bool upper = true;  // edge: the domain's last value, else its first
  double figure = 0;
  std::int64_t count = 0;
};
std::string_view to_string(Advice::Kind kind);  // "default_untried"

// Returns advice, with what is most worth doing first. All arguments are of one session with a winner.
std::vector<Advice> advice(const Evidence& evidence, const std::vector<ParameterChanges>& changes,
                           const SearchProgress& progress, const std::optional<Residency>& residency,
                           const std::optional<Attainment>& attainment);

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
