// What the names of parameters alone say about times, where there is no manifest: of recordings, and of what programs
// tune.
#pragma once

#include <functional>

#include "search/space/search_space.h"

namespace warptune::tuner {

// As StrategyContext::first_guess has it; empty where parameters have names of their own, which say nothing of
// launches. Refers to the space, which must outlive it. Thread-safe.
std::function<double(const search::Configuration&)> word_guess(const search::SearchSpace& space);

}  // namespace warptune::tuner
