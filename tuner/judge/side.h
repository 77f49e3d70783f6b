// One of the two kernels on its way into the combination.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/judge/combination.h"

namespace warptune::tuner::judge {

struct Side {
  Json manifest;  // paths are absolute
  std::filesystem::path source;
  search::NamedValues values;  // of the parameters
  std::vector<std::string> kernels;

  // Of a kernel that has a manifest. Throws ManifestError, RequestError.
  explicit Side(const Kernel& kernel);
  // Of a source alone that stands in for the other's kernel. Throws RequestError.
  Side(const Kernel& kernel, const Side& reference);

  // What the compiler reads: definitions of the parameters, then the source without its host part.
  std::string text() const;
  const Json& launches() const { return manifest.at("launches"); }
};

// The names of what kernels get, changed wherever a launch says them.
void rename_arguments(Json& launch, const std::map<std::string, std::string>& names);

}  // namespace warptune::tuner::judge
