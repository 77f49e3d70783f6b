// Declares what a program gives where a manifest has text: sources as strings, launches and the reference as functions.
// The same engine measures a template with such parts and one of a manifest, because both lead to the same things:
// compile requests, a plan for each configuration, and the contents of buffers.
//
// Rejected: a separate evaluator for functions, which there was once. It lacked whatever the other one learnt.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "search/space/search_space.h"
#include "search/value.h"
#include "tuner/device/compile/compiler.h"

namespace warptune::tuner {

struct PlannedLaunch;

// BufferContents holds the contents of all buffers but temporaries, by name.
using BufferContents = std::map<std::string, std::vector<std::byte>>;

// The functions are called on the session's thread, except `requests`, which is called on many threads at once.
struct ProgramParts {
  // Returns one request for each module of a configuration. A kernel's name is in one of them. `scope` holds sizes,
  // limits and parameters.
  std::function<std::vector<CompileRequest>(const search::NamedValues& scope)> requests;
  // Returns what a run queues, in order. Throws std::invalid_argument for an unknown name.
  std::function<std::vector<PlannedLaunch>(const search::NamedValues& scope)> launches;
  // Computes the outputs; empty if nothing is verified.
  std::function<void(BufferContents& buffers)> reference;
  std::vector<search::Constraint> constraints;
  // The description says all that a measurement depends on and that neither the requests nor the sizes say. It is for
  // the session's key.
  std::string description;
};

}  // namespace warptune::tuner
