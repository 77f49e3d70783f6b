// Measures the best of an old session under today's key, without a search, after an update of driver or compiler.
#pragma once

#include <functional>

#include "tuner/results/check/check.h"
#include "tuner/results/check/remeasurer.h"

namespace warptune::tuner {

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
