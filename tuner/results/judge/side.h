// Prepares one of two kernels for their combination (combination.h).
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
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
  // The compiler gives these defines to both kernels. They are the reference's, whose own definitions give way to them.
  std::set<std::string> given;
  // The candidate has other definitions of these defines of the reference, and keeps them; the reference gets its own
  // by aliases.
  std::set<std::string> kept;

  // Prepares a kernel that has a manifest. Throws ManifestError, RequestError.
  explicit Side(const Kernel& kernel);
  // Prepares a source alone, which stands in for the reference's kernel. Throws RequestError.
  Side(const Kernel& kernel, const Side& reference);

  // Returns what the compiler reads: definitions of the parameters, then the source without its host part.
  std::string text() const;
  const Json& launches() const { return manifest.at("launches"); }

 private:
  void take_defines(const draft::SourceFacts& facts, const draft::SourceFacts& reference);
};

// Returns what a define that a candidate keeps is called for the reference.
std::string alias_of(const std::string& define);

// Changes the names of what kernels get, wherever a launch says them.
void rename_arguments(Json& launch, const std::map<std::string, std::string>& names);

}  // namespace warptune::tuner::judge
