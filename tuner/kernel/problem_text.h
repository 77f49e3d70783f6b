// A problem in a sentence.
#pragma once

#include <string>

#include "tuner/kernel/problem.h"

namespace warptune::tuner {

// " for M=1024,N=512", behind a kernel's name; empty for a kernel without sizes and variants.
inline std::string for_problem(const Problem& problem) {
  return problem.empty() ? "" : " for " + problem.text();
}

}  // namespace warptune::tuner
