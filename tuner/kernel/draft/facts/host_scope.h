// Collects what a function on the host says before a launch: values of its variables, dim3s, sizes of allocations,
// copies.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/draft/facts/source_facts.h"

namespace warptune::tuner::draft {

struct HostScope {
  // Change is a write to a variable after which `init` does not know the value: n += 2, read(&n).
  struct Change {
    int line = 0;
    std::int64_t first = 0;  // the number before, where the variable may have kept it; else 0
  };
  std::map<std::string, CExpression> values;   // as they are at the launch
  std::map<std::string, Change> changed;       // variables without a known value, which `values` does not hold
  std::map<std::string, std::string> several;  // parameters that calls give several values: a text that names them
  std::set<std::string> blocks_of_device;      // variables that cudaOccupancyMaxPotentialBlockSize sets
  std::map<std::string, std::vector<CExpression>> dimensions;  // of the variables of type dim3
  std::map<std::string, CExpression> allocated_bytes;          // by the pointer's name
  std::set<std::string> cleared, uploaded, downloaded;         // pointers
};

HostScope read_host_scope(const SourceFacts& facts, const HostLaunch& launch);

// Returns the type in the declaration of a pointer: "double" for `double *a, *b;`. It is empty if it is not found.
std::string pointed_to(const SourceItem& function, const std::string& name);

// Returns the index of the function's template parameter that has the name.
std::optional<std::size_t> template_place(const SourceItem& function, const std::string& name);
// Returns the template argument in that place where something calls or instantiates the function with a known type;
// else an empty text.
std::string template_argument(TokenSpan code, const std::string& function, std::size_t place);

// Adds to `scope` what a function of the host says: the variables as they are at `place`, and the allocations and
// copies of the whole body.
void read_host_code(const SourceFacts& facts, TokenSpan body, std::size_t place, HostScope& scope);

}  // namespace warptune::tuner::draft
