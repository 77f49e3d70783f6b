// Lists the keys of T1 files, those of KTT's loader, Kernel Tuner's and BAT's. A key that is not here is refused,
// because it may be a misspelt one that matters. One that other tuners use and Warptune does not is said to be without
// effect.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "tuner/kernel/t1/t1_parts.h"

namespace warptune::tuner {

namespace {

constexpr std::string_view key_taken = "";
// The members of these objects may have any names.
constexpr std::string_view open_objects[] = {"BenchmarkConfig",          "Search",
                                             "SearchSettings",           "verification",
                                             "KernelSpecification.Misc", "KernelSpecification.Device"};

constexpr std::string_view why_store = "results go to the store; `warptune export` writes them";
constexpr std::string_view why_others = "other tuners find their files by it";
constexpr std::string_view why_strategy = "--strategy chooses the search";

// A KnownKey is a key by its path without indices. `instead` is `key_taken` for a key that has an effect. For the rest
// it says what counts instead.
struct KnownKey {
  std::string_view path, instead;
};
constexpr KnownKey known_keys[] = {
    {"General", key_taken},
    {"General.BenchmarkName", key_taken},
    {"General.FormatVersion", key_taken},
    {"General.BenchmarksPath", why_others},
    {"General.LoggingLevel", why_store},
    {"General.TimeUnit", why_store},
    {"General.OutputFile", why_store},
    {"General.OutputFormat", why_store},
    {"General.Objective", "--objective chooses what is minimized"},
    {"General.Minimize", "--objective chooses what is minimized"},
    {"ConfigurationSpace", key_taken},
    {"ConfigurationSpace.TuningParameters", key_taken},
    {"ConfigurationSpace.TuningParameters.Name", key_taken},
    {"ConfigurationSpace.TuningParameters.Type", key_taken},
    {"ConfigurationSpace.TuningParameters.Values", key_taken},
    {"ConfigurationSpace.TuningParameters.Default", key_taken},
    {"ConfigurationSpace.Conditions", key_taken},
    {"ConfigurationSpace.Conditions.Parameters", key_taken},
    {"ConfigurationSpace.Conditions.Expression", key_taken},
    {"Budget", key_taken},
    {"Budget.Type", key_taken},
    {"Budget.BudgetValue", key_taken},
    {"BenchmarkConfig", key_taken},
    {"Search", why_strategy},
    {"SearchSettings", why_strategy},
    {"verification", "the kernel's output at its default configuration is what every other must reproduce"},
    {"KernelSpecification", key_taken},
    {"KernelSpecification.BenchmarkName", why_others},
    {"KernelSpecification.BenchmarkPath", why_others},
    {"KernelSpecification.Language", key_taken},
    {"KernelSpecification.CompilerOptions", key_taken},
    {"KernelSpecification.KernelName", key_taken},
    {"KernelSpecification.KernelTypeNames", key_taken},
    {"KernelSpecification.KernelFile", key_taken},
    {"KernelSpecification.GlobalSizeType", key_taken},
    {"KernelSpecification.GlobalSize", key_taken},
    {"KernelSpecification.GlobalSize.X", key_taken},
    {"KernelSpecification.GlobalSize.Y", key_taken},
    {"KernelSpecification.GlobalSize.Z", key_taken},
    {"KernelSpecification.LocalSize", key_taken},
    {"KernelSpecification.LocalSize.X", key_taken},
    {"KernelSpecification.LocalSize.Y", key_taken},
    {"KernelSpecification.LocalSize.Z", key_taken},
    {"KernelSpecification.GridDivX", key_taken},
    {"KernelSpecification.GridDivY", key_taken},
    {"KernelSpecification.GridDivZ", key_taken},
    {"KernelSpecification.ProblemSize", key_taken},
    {"KernelSpecification.SharedMemory", key_taken},
    {"KernelSpecification.SharedMemoryOriginal", "SharedMemory counts"},
    {"KernelSpecification.Misc", "it is for other tuners"},
    {"KernelSpecification.Device", "--device chooses where to tune"},
    {"KernelSpecification.Profiling", "trials are timed, not profiled"},
    {"KernelSpecification.SimulationInput", "--device replay:FILE answers from a recording"},
    {"KernelSpecification.Arguments", key_taken},
    {"KernelSpecification.Arguments.Name", key_taken},
    {"KernelSpecification.Arguments.Type", key_taken},
    {"KernelSpecification.Arguments.TypeSize", key_taken},
    {"KernelSpecification.Arguments.Size", key_taken},
    {"KernelSpecification.Arguments.MemoryType", key_taken},
    {"KernelSpecification.Arguments.MemType", key_taken},
    {"KernelSpecification.Arguments.AccessType", key_taken},
    {"KernelSpecification.Arguments.FillType", key_taken},
    {"KernelSpecification.Arguments.FillValue", key_taken},
    {"KernelSpecification.Arguments.DataSource", key_taken},
    {"KernelSpecification.Arguments.RandomSeed", key_taken},
    {"KernelSpecification.Arguments.Output", key_taken},
    {"KernelSpecification.ReferenceArguments", key_taken},
    {"KernelSpecification.ReferenceArguments.Name", key_taken},
    {"KernelSpecification.ReferenceArguments.TargetName", key_taken},
    {"KernelSpecification.ReferenceArguments.FillType", key_taken},
    {"KernelSpecification.ReferenceArguments.FillValue", key_taken},
    {"KernelSpecification.ReferenceArguments.DataSource", key_taken},
    {"KernelSpecification.ReferenceArguments.ValidationMethod", key_taken},
    {"KernelSpecification.ReferenceArguments.ValidationThreshold", key_taken},
};

const KnownKey* find_key(std::string_view path) {
  const auto found = std::ranges::find(known_keys, path, &KnownKey::path);
  return found == std::end(known_keys) ? nullptr : found;
}

// Returns whether a node says nothing: [], {}, "" and false. A null is not even read.
bool is_empty(const Node& node) {
  if (node.is_table()) return node.table().empty();
  if (node.is_array()) return node.array().empty();
  if (const bool* flag = std::get_if<bool>(&node.value())) return !*flag;
  const auto* text = std::get_if<std::string>(&node.value());
  return text && text->empty();
}

class KeyChecker {
 public:
  void check(const Node& node, const std::string& path) {
    if (node.is_array())
      for (const Node& item : node.array()) check(item, path);
    if (!node.is_table()) return;
    for (const auto& [name, member] : node.table()) check_member(member, path.empty() ? name : path + "." + name);
  }

  // Returns one sentence for each reason, with all the keys it holds for.
  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    for (const auto& [reason, keys] : without_effect_) notes.push_back(fmt::format("{}: no effect, {}", keys, reason));
    return notes;
  }

 private:
  void check_member(const Node& member, const std::string& path) {
    if (is_empty(member)) return;
    const KnownKey* known = find_key(path);
    if (!known)
      member.fail(
          "Warptune knows no such key of T1 and will not guess what it asks for; remove it, or correct its name");
    if (known->instead != key_taken) {
      std::string& keys = without_effect_[known->instead];
      keys += (keys.empty() ? "" : ", ") + path;
    }
    if (std::ranges::find(open_objects, path) == std::end(open_objects)) check(member, path);
  }

  std::map<std::string_view, std::string> without_effect_;
};

}  // namespace

std::vector<std::string> check_t1_keys(const Node& document) {
  KeyChecker checker;
  checker.check(document, "");
  return checker.notes();
}

}  // namespace warptune::tuner
