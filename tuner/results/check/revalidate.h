// Measures given configurations again, without a search: for checks, and for the best of an old session under today's
// key, after an update of driver or compiler.
#pragma once

#include <atomic>
#include <functional>

#include "db/store.h"
#include "tuner/measure/metrics/metrics.h"
#include "tuner/measure/sampling/same_bits.h"
#include "tuner/results/check/check.h"
#include "tuner/session/preparation.h"

namespace warptune::tuner {

// Has one kernel open on one device with one problem size, to measure given configurations without a search.
class Remeasurer {
 public:
  // What the request says of strategies and budgets does not matter. Once `stop` is set, what is not measured yet is a
  // crash that says "interrupted", and no finding. Throws ManifestError, RequestError, NoDeviceError, WorkloadError.
  Remeasurer(const TuneRequest& request, const std::atomic<bool>& stop);

  const KernelTemplate& kernel() const { return problem_.kernel; }
  const search::SearchSpace& space() const { return space_; }
  // Returns the template's default configuration in the form in which the store holds configurations; it is empty if
  // today's space lacks it.
  search::NamedValues default_values() const;
  bool stopped() const { return stop_.load(); }

  // Verifies and measures the configurations. Returns their trials in the order given, with metrics and objectives;
  // equal configurations are measured once. A configuration that today's space does not hold is a constraint_violation
  // that says so. Throws DeviceLostError.
  std::vector<search::Trial> measure(const std::vector<search::NamedValues>& configurations);
  // Rules out a trial that was measured for a session and may not win it, by the bits that its policy asks for. The
  // default's bits are those of the store's trial, or of `trial` itself if that is the default's.
  void keep_to_bits(const db::Store& store, db::SessionId session, const search::NamedValues& values,
                    search::Trial& trial) const;

 private:
  void complete(search::Trial& trial) const;

  PreparedProblem problem_;
  SameBits same_bits_;
  std::vector<Objective> objectives_;
  search::SearchSpace space_;
  const std::atomic<bool>& stop_;
  OpenEvaluator opened_;
};

struct Revalidation {
  db::SessionId session = 0;  // the new one
  std::size_t measured = 0;
  std::size_t known = 0;    // trials that were there already
  std::size_t correct = 0;  // of measured and known ones
  std::optional<db::StoredTrial> winner;
};

// Measures the old session's `top` best and the default in a session under `key`, which remembers where they came from,
// and settles its winner. If the measurer is stopped, the session is marked as interrupted; the next call goes on where
// it stopped.
Revalidation revalidate(const db::SessionRecord& old, const std::vector<db::StoredTrial>& top,
                        const db::SessionKey& key, Remeasurer& remeasurer, db::Store& store);

}  // namespace warptune::tuner
