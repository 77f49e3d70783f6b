// One of the two kernels on its way into the combination.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/results/judge/combination.h"

namespace warptune::tuner::draft {
struct SourceFacts;
}

namespace warptune::tuner::judge {

struct Side {
  Json manifest;  // paths are absolute
  std::filesystem::path source;
  search::NamedValues values;  // of the parameters
  std::vector<std::string> kernels;
  // Defines that the compiler gives to both kernels: the reference's, whose own definitions give way to them.
  std::set<std::string> given;
  // Of these the ones of which a candidate has another definition, which it keeps; the reference gets them by an alias.
  std::set<std::string> kept;

  // Of a kernel that has a manifest. Throws ManifestError, RequestError.
  explicit Side(const Kernel& kernel);
  // Of a source alone that stands in for the other's kernel. Throws RequestError.
  Side(const Kernel& kernel, const Side& reference);

  // What the compiler reads: definitions of the parameters, then the source without its host part.
  std::string text() const;
  const Json& launches() const { return manifest.at("launches"); }

 private:
  void take_defines(const draft::SourceFacts& facts, const draft::SourceFacts& reference);
};

// What a define that a candidate keeps is called instead.
std::string alias_of(const std::string& define);

// The names of what kernels get, changed wherever a launch says them.
void rename_arguments(Json& launch, const std::map<std::string, std::string>& names);

}  // namespace warptune::tuner::judge
