// Combines two kernels with one problem into one template. It is the reference's manifest, in which a parameter of two
// values says whose source is compiled and whose launches run. So both get the same data, the same poison and the same
// guards, and are timed side by side, by the engine that tunes.
//
// Each source is a file of its own below an #if. Rejected: their texts in one file, which a kernel could leave by an
// #endif of its own, and then change what it is held against.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "search/value.h"
#include "tuner/kernel/json_values.h"

namespace warptune::tuner::judge {

// The template has this parameter: 0 is the reference, 1 what is judged.
inline constexpr char who[] = "WARPTUNE_CANDIDATE";

// Describes a kernel with what says how to call it.
struct Kernel {
  std::string manifest;            // its text; empty for a source alone, which is launched as the reference is
  std::filesystem::path file;      // where the manifest is or would be
  std::filesystem::path source;    // of a source alone
  bool drafted = false;            // the manifest is a draft: nobody has said ranges and numbers
  search::NamedValues parameters;  // others have their defaults
  std::string name;                // of a source alone: which kernel
  // They are for one launch, and override what the manifest says, or what the reference's manifest says for a source
  // alone.
  std::vector<std::string> grid, block;
  std::string shared;
};

struct Combination {
  Json manifest;
  std::vector<std::string> fixed_sizes;  // sizes that a candidate without a manifest may have as constants
  std::vector<std::string> notes;        // sentences for the user
};

// Writes the sources into `folder`, where the manifest is to be. Without a candidate the reference's own kernel is
// judged, by what its manifest says is right. Throws ManifestError, and RequestError for a candidate that cannot take
// the reference's place.
Combination combine(const Kernel& reference, const std::optional<Kernel>& candidate,
                    const std::filesystem::path& folder);

}  // namespace warptune::tuner::judge
