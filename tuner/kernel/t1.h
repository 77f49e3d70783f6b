// T1, the community's JSON format for tuning inputs (Tørring et al. 2023, "Towards a Benchmarking Suite for Kernel
// Tuners").
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "search/parameter.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// True if the document has a ConfigurationSpace.
bool is_t1(const nlohmann::ordered_json& document);

// Parameters and the texts of the conditions. Throws std::invalid_argument.
std::vector<search::Parameter> t1_parameters(const nlohmann::ordered_json& document);
std::vector<std::string> t1_conditions(const nlohmann::ordered_json& document);

// "[1, 2] + list(range(32, 1025, 32))": the values that a T1 file writes as a Python expression. Throws
// std::invalid_argument.
std::vector<search::Value> t1_values(const std::string& text);

// A T1 file as a kernel template, its source looked for beside the file. T1 has no reference: the default
// configuration's own output is what every other must reproduce. Throws RequestError naming the file, the key and what
// was expected.
KernelTemplate load_t1(const std::filesystem::path& file);

}  // namespace warptune::tuner
