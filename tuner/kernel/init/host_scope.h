// What a function on the host says before a launch: values of its variables, dim3s, sizes of allocations, copies.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/init/source_facts.h"

namespace warptune::tuner::init {

struct HostScope {
  std::map<std::string, CExpression> values;                   // as they are at the launch
  std::map<std::string, std::vector<CExpression>> dimensions;  // dim3
  std::map<std::string, CExpression> allocated_bytes;          // by the pointer's name
  std::set<std::string> cleared, uploaded, downloaded;         // pointers
};

HostScope read_host_scope(const SourceFacts& facts, const HostLaunch& launch);

}  // namespace warptune::tuner::init
