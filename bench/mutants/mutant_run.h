// One configuration of one template through the verifier, as a tuning session would.
#pragma once

#include <filesystem>
#include <string>

#include "bench/mutants/bugs.h"

namespace warptune::tuner::mutants {

struct MutantResult {
  bool caught = false;
  std::string how;  // the outcome and its message, or the signal that ended the process
};

// Runs the template in the bug's configuration in a process of its own, which may crash or hang: at its preset `host`,
// where it has one (with the bug's sizes), then with every size at 257, or 33 where there are more than four, until the
// verifier objects. Throws std::runtime_error if the process could not do its work for another reason.
MutantResult judge(const std::filesystem::path& manifest, const Bug& bug, const std::string& device);

}  // namespace warptune::tuner::mutants
