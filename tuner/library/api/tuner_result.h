// Defines what tuning leaves, of a template or of functions: the winner by its values, and the session behind it for
// whoever wants more. It is plain data.
#pragma once

#include <optional>
#include <string>

#include "search/value.h"
#include "tuner/session/result.h"

namespace warptune {

struct TunerResult {
  tuner::SessionResult session;
  std::optional<search::NamedValues> best;  // the winner's configuration; nothing if none was correct
  double best_ms = 0;                       // settled median of one run of all launches, ms; 0 if nothing was correct
  std::optional<double> default_ms;         // the same of the default configuration, if it is in the space and correct
  std::string device;                       // the device's name
};

}  // namespace warptune
