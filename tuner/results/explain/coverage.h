// Tells what a session has seen of its space, how its best came about, and which accuracy its slower trials have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/results/explain/evidence.h"

namespace warptune::tuner {

// Describes how the search went, by its own measurements.
struct SearchProgress {
  std::size_t trials = 0, correct = 0;
  std::size_t best_after = 0;  // trials until the best one, itself included; 0: none was correct
  // This is how much more the best of the first half of the trials costs than the best of all: what the second half
  // brought. It is empty where the first half has none, or with fewer than 20 trials.
  std::optional<double> last_doubling;
};
SearchProgress progress(const Evidence& evidence);

// Counts how often a parameter's value was tried, and how often that was right.
struct ValueCount {
  search::Value value;
  std::size_t trials = 0, correct = 0;
};
struct ParameterCoverage {
  std::string parameter;
  std::vector<ValueCount> values;

  std::vector<search::Value> untried() const;
  std::vector<search::Value> never_correct() const;  // tried at least three times
};
// Returns parameters in their order, and values in the domains' order. Parameters with one value are left out.
std::vector<ParameterCoverage> coverage(const Evidence& evidence);

// Says which share of all combinations of the declared values a constraint rejects, whatever the others say.
struct Exclusions {
  std::string combinations;  // decimal, of the declared domains
  std::string valid;         // decimal
  struct One {
    std::string constraint;
    double share = 0;
  };
  std::vector<One> constraints;  // those that reject most first; only those that can be counted
};
// Returns nothing where the space is not known.
std::optional<Exclusions> exclusions(const Evidence& evidence);

// Sets time against accuracy. The front has the trials that no other one beats in both, each at least a tenth more
// accurate than the one before it.
struct AccuracyFront {
  std::string metric;  // "rms_error", "max_error"
  struct Point {
    db::TrialId trial = 0;
    double time_ms = 0, error = 0;
  };
  std::vector<Point> front;  // fastest first
};
// Returns nothing where no trial has an error, or where the fastest trial is about as accurate as any.
std::optional<AccuracyFront> accuracy(const Evidence& evidence);

}  // namespace warptune::tuner
