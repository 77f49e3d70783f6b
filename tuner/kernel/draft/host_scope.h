// What a function on the host says before a launch: values of its variables, dim3s, sizes of allocations, copies.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/draft/source_facts.h"

namespace warptune::tuner::draft {

struct HostScope {
  // A variable whose value `init` does not know: n += 2, read(&n).
  struct Change {
    int line = 0;
    std::int64_t first = 0;  // the number before, where it may have stayed; else 0
  };
  std::map<std::string, CExpression> values;                   // as they are at the launch
  std::map<std::string, Change> changed;                       // `values` do not have these
  std::map<std::string, std::string> several;                  // parameters that calls give several values: which
  std::set<std::string> blocks_of_device;                      // that cudaOccupancyMaxPotentialBlockSize chooses
  std::map<std::string, std::vector<CExpression>> dimensions;  // dim3
  std::map<std::string, CExpression> allocated_bytes;          // by the pointer's name
  std::set<std::string> cleared, uploaded, downloaded;         // pointers
};

HostScope read_host_scope(const SourceFacts& facts, const HostLaunch& launch);

// The type in the declaration of a pointer: "double" for `double *a, *b;`. Empty if it is not found.
std::string pointed_to(const SourceItem& function, const std::string& name);

// Which of a function's template parameters has the name.
std::optional<std::size_t> template_place(const SourceItem& function, const std::string& name);
// What stands in that place where something calls or instantiates the function with a known type; else empty.
std::string template_argument(TokenSpan code, const std::string& function, std::size_t place);

}  // namespace warptune::tuner::draft
