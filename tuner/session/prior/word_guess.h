// Guesses times from the names of parameters alone, where there is no manifest: for recordings, and for what programs
// tune.
#pragma once

#include <functional>

#include "search/space/search_space.h"

namespace warptune::tuner {

// Returns a guess for StrategyContext::first_guess. It is empty where parameters have names of their own, which say
// nothing of launches. It refers to the space, which must outlive it. It is thread-safe.
std::function<double(const search::Configuration&)> word_guess(const search::SearchSpace& space);

}  // namespace warptune::tuner
