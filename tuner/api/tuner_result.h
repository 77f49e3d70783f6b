// What tuning leaves, of a template or of functions: the winner by its values, and the session behind it for whoever
// wants more. Plain data.
#pragma once

#include <optional>
#include <string>

#include "search/value.h"
#include "tuner/session/result.h"

namespace warptune {

struct TunerResult {
  tuner::SessionResult session;
  std::optional<search::NamedValues> best;  // the winner's configuration; nothing if none was correct
  double best_ms = 0;
  std::optional<double> default_ms;  // of the default configuration, if it is in the space and correct
  std::string device;                // its name
};

}  // namespace warptune
