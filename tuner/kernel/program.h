// What a program gives where a manifest has text: sources as strings, launches and the reference as functions. A
// template with such parts is measured by the same engine as one of a manifest, because what is behind both is the
// same: compile requests, a plan for each configuration, and the contents of buffers.
//
// Rejected: an evaluator of its own for functions, which is what there was. It lacked whatever the other one learnt.
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

// Contents of all buffers but temporaries, by name.
using BufferContents = std::map<std::string, std::vector<std::byte>>;

// Called on the session's thread, but for `requests`, which is called on many at once.
struct ProgramParts {
  // One for each module of a configuration; a kernel's name is in one of them. `scope`: sizes, limits and parameters.
  std::function<std::vector<CompileRequest>(const search::NamedValues& scope)> requests;
  // What a run queues, in order. Throws std::invalid_argument for a name that there is none of.
  std::function<std::vector<PlannedLaunch>(const search::NamedValues& scope)> launches;
  // Computes the outputs; empty if nothing is verified.
  std::function<void(BufferContents& buffers)> reference;
  std::vector<search::Constraint> constraints;
  // All that a measurement depends on and that neither the requests nor the sizes say, for the session's key.
  std::string description;
};

}  // namespace warptune::tuner
