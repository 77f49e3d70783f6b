// The planted bugs: small changes to templates' sources, listed in each template's bugs.toml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner::mutants {

struct Bug {
  std::string kernel;  // the template
  std::string name;    // what is wrong with it: "no barrier before the tile is read"
  std::string file;    // of the template's folder, or a shared header: "warptune/device/look_back.cuh"
  std::string search;  // occurs exactly once in the file
  std::string replace;
  std::string configuration;              // "METHOD=three_kernels,BLOCK=64": parameters that differ from the default
  std::string sizes;                      // "SIZE=1000,KIND=pairs": sizes and variants that the preset does not have
  std::vector<std::string> invisible_on;  // backends on which it changes no result,
  std::string reason;                     // and why
};

// The bugs of one template; none if there is no such list. Throws ManifestError for a malformed list.
std::vector<Bug> read_bugs(const std::filesystem::path& templates, const std::string& kernel);

// Copies the template and those beside it (templates may include from each other) into `folder`, with the bug planted,
// and returns the copy's manifest. Throws std::runtime_error if the text to replace does not occur exactly once.
std::filesystem::path plant(const Bug& bug, const std::filesystem::path& templates,
                            const std::filesystem::path& folder);

}  // namespace warptune::tuner::mutants
