// Advises what to try next, as far as a session's own figures say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/device/roofline/occupancy.h"
#include "tuner/device/roofline/roofline.h"
#include "tuner/results/explain/changes.h"
#include "tuner/results/explain/coverage.h"

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

}  // namespace warptune::tuner
