// After an update of driver or compiler: the best of an old session measured under today's key, without a search.
#pragma once

#include <functional>

#include "tuner/results/check/check.h"
#include "tuner/results/check/remeasurer.h"

namespace warptune::tuner {

struct Revalidation {
  db::SessionId session = 0;  // the new one
  std::size_t measured = 0;
  std::size_t known = 0;    // trials that were there already
  std::size_t correct = 0;  // of both
  std::optional<db::StoredTrial> winner;
};

// Measures the old session's `top` best and the default in a session under `key`, which remembers where they came
// from, and settles its winner. One that the measurer was stopped in is interrupted: the next goes on where it stopped.
Revalidation revalidate(const db::SessionRecord& old, const std::vector<db::StoredTrial>& top,
                        const db::SessionKey& key, Remeasurer& remeasurer, db::Store& store);

}  // namespace warptune::tuner
