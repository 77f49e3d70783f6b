// Reads T1, the community's JSON format for tuning inputs (Tørring et al. 2023, "Towards a Benchmarking Suite for
// Kernel Tuners"), as KTT, Kernel Tuner and BAT write it. https://github.com/odgaard/TuningSchema has the common part.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "search/parameter.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns true if the document has a ConfigurationSpace.
bool is_t1(const nlohmann::ordered_json& document);

// A T1Space has the parameters, and the conditions' texts with BenchmarkConfig's numbers in place of their names.
// `file` is for errors. `t1_space` throws ManifestError naming the key.
struct T1Space {
  std::vector<search::Parameter> parameters;
  std::vector<std::string> conditions;
};
T1Space t1_space(const nlohmann::ordered_json& document, const std::string& file);

// Returns the values that a T1 file writes as a Python expression: "[1, 2] + list(range(32, 1025, 32))". Throws
// std::invalid_argument.
std::vector<search::Value> t1_values(const std::string& text);

// Reads a T1 file as a kernel template. Its source is looked for beside the file and in the folder above. Where
// ReferenceArguments give no data, the default configuration's own output is what every other must reproduce. Keys that
// have no effect here are in the template's notes. Throws ManifestError naming the file, the key and what was expected.
// It does so for what is missing or malformed, for keys that T1 does not have, and for those that ask for more than
// Warptune does.
KernelTemplate load_t1(const std::filesystem::path& file);

}  // namespace warptune::tuner
