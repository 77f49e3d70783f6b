// Finds what a mistyped name of a kernel, a size or a variant probably meant, among those that something is known
// about.
#pragma once

#include <map>
#include <set>
#include <string>

#include "db/store_set.h"

namespace warptune::tuner::cli {

// Known problems are the names and values of the problems that a store or a file of wisdom knows of a kernel.
struct KnownProblems {
  std::string kernel;  // empty: several
  std::set<std::string> sizes = {};
  std::map<std::string, std::set<std::string>> variants = {};  // with the values that they have, as text

  void add(const search::NamedValues& of_sizes, const search::NamedValues& of_variants);
};

// Returns ": gemm has no size SIEZ (did you mean SIZE?)", to be appended to the words that nothing was found, for the
// first name or value of the filter's problem that is not known; empty if all are.
std::string unknown_in(const db::HistoryFilter& filter, const KnownProblems& known);

// Does the same with what the stores hold. For a kernel without a session, it returns the nearest: " (did you mean
// gemm?)".
std::string unknown_in(const db::HistoryFilter& filter, const db::StoreSet& stores);

}  // namespace warptune::tuner::cli
