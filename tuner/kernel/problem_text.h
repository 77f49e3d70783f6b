// Puts a problem into a sentence.
#pragma once

#include <string>

#include "tuner/kernel/problem.h"

namespace warptune::tuner {

// Returns " for M=1024,N=512", to follow a kernel's name. The text is empty for a kernel without sizes and variants.
inline std::string for_problem(const Problem& problem) {
  return problem.empty() ? "" : " for " + problem.text();
}

}  // namespace warptune::tuner
