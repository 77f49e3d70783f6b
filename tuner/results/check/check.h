// Measures stored winners again, to see whether what the store says still holds on this machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/settled.h"
#include "db/store.h"
#include "tuner/results/check/today.h"

namespace warptune::tuner {

// Judges a configuration, or a session by what its winner and default do. The worst verdict is last.
enum class Verdict {
  not_checkable,  // nobody has its sources any more: they were never kept
  ok,
  improved,        // faster than recorded, beyond both errors and the tolerance
  no_device,       // what it was tuned on is not on this machine
  stale,           // nothing wrong, but parts of the key differ from today's
  slower_machine,  // slower than recorded, and so is the default configuration, by the same factor
  regression,      // slower than recorded, beyond both errors and the tolerance
  failure,         // could not be measured: it does not compile or run, or its template is gone
  wrong,           // it runs, and its result is wrong
};
std::string_view to_string(Verdict verdict);

struct CheckedConfiguration {
  std::string role;  // "winner", "default", "runner-up": in this order
  db::StoredTrial recorded;
  db::Settled settled;  // its figures, which the new ones are compared with
  search::Trial measured;
  Verdict verdict = Verdict::ok;
  bool other_outputs = false;        // correct, but other output bits than recorded for the same inputs
  std::optional<double> drift = {};  // of the objective, 0.1: 10 % worse than recorded; nothing without a ratio
};

struct SessionCheck {
  db::SessionRecord session;
  std::size_t store = 0;    // index among the stores that were read
  std::string origin = {};  // that store's name, where several were read
  Standing standing;
  Verdict verdict = Verdict::ok;
  std::string message;  // why, if the verdict is not clear from the configurations
  std::vector<CheckedConfiguration> configurations;
};

struct CheckOptions {
  double tolerance = 0.05;     // of the objective, beside both measurements' errors
  std::size_t runners_up = 2;  // re-measured beside winner and default
};

// Measures configurations in order; may throw, which makes the check a failure.
using Measure = std::function<std::vector<search::Trial>(const std::vector<search::NamedValues>& configurations)>;

// Measures a session's winner, default and best runners-up again and judges them. The default's trial is found by
// `default_values`, its values in the manifest's order.
SessionCheck check_session(const db::BestRecord& best, const Standing& standing,
                           const search::NamedValues& default_values, const db::Store& store, const Measure& measure,
                           const CheckOptions& options);

// Returns how much worse an objective has become, relatively: 0.1 is 10 % more time than recorded. A metric that is
// maximised counts as the time of equal work, so that twice the rate is -0.5. Returns nothing where there is no ratio:
// one of them is 0, or they lie on both sides of it.
std::optional<double> drift_of(double recorded, double measured);

// Returns the verdict on one figure. `measured` must be a correct trial with objectives. Without a ratio any change
// counts.
Verdict verdict_of(const db::Settled& recorded, const search::Trial& measured, double tolerance);

// Returns whether a configuration that is slower than recorded is so only as much as its yardstick. The yardstick is
// the default configuration or, where that is the winner or cannot be compared, the best runner-up. It has to be slower
// beyond its own errors. The configuration may be slower than it by no more than the tolerance and the errors of both.
bool is_machine_slower(const CheckedConfiguration& slower, const CheckedConfiguration& yardstick, double tolerance);

// Appends what was measured to the trials' checks. In a current session, a configuration with a wrong result loses its
// place: its trial gets that outcome, and if it was the winner, the best that is left becomes it. A session that is not
// current keeps its trials and its winner: they are what was measured under its key. Returns whether the winner
// changed.
bool record_check(const SessionCheck& check, db::Store& store);

}  // namespace warptune::tuner
