// Holds the trials of an earlier session in the space of this one.
#pragma once

#include <vector>

#include "search/space/search_space.h"
#include "search/value.h"

namespace warptune::search {

// EarlierTrials holds correct trials of a session with another device, problem size or version of the kernel, in the
// space of this one. Objectives are to be minimised, and comparable within the session only.
struct EarlierTrials {
  struct Entry {
    Configuration configuration;
    double objective = 0;
  };
  std::vector<Entry> entries;
  double weight = 1;  // weight beside other sessions that know the same configuration

  // Takes a trial by its values, and returns whether it did: each value must be one of `space`'s. A parameter that the
  // trial's space did not have is taken to be as in `defaults`; without a value there the trial is left out. The
  // configuration need not be valid here.
  bool add(const SearchSpace& space, const NamedValues& values, const NamedValues& defaults, double objective);
};

}  // namespace warptune::search
