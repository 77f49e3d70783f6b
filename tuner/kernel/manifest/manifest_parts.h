// Reads the parts of a manifest that describe calls: arguments, launches, the reference. This header is private to
// tuner/kernel.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/manifest/document.h"

namespace warptune::tuner {

std::vector<Argument> read_arguments(const Node& node, const std::filesystem::path& folder);
std::vector<Argument> read_temporaries(const Node& node);
std::vector<TensorMapArgument> read_tensor_maps(const Node& node);
std::vector<HostFunction> read_fills(const Node& node, const std::filesystem::path& folder);
std::vector<Launch> read_launches(const Node& node);
Reference read_reference(const Node& node, const std::filesystem::path& source);
// Throws ManifestError for an unknown key, and for one that means nothing beside default_configuration.
void check_reference_keys(const Node& node, bool is_default);
// Returns the fills of [reference.data], by output. What is given as data need not come from the default configuration.
std::map<std::string, Fill> read_reference_data(const Node& node, const std::filesystem::path& folder,
                                                const std::vector<Argument>& arguments);
std::vector<Metric> read_metrics(const Node& node);
StatedWork read_work(const Node& node);

// Cross-checks names: every launch's arguments exist, every expression uses names that mean something where it stands.
void check_references(const Node& root, const KernelTemplate& result);

}  // namespace warptune::tuner
