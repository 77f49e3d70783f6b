// The effects that lectures state as figures, counted on the host: each technique of the library does what its manifest
// says that it does. Each effect is an expression over the counts of runs (kernel_template.h, Effect).
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>

#include "search/expression/expression.h"
#include "tests/support/host_trials.h"
#include "tests/support/places.h"
#include "tuner/kernel/manifest/techniques.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/tracked_run.h"

namespace warptune::tuner {
namespace {

search::NamedValues with_choices(search::NamedValues values, const search::NamedValues& choices) {
  for (auto& [name, value] : values)
    if (const search::Value* choice = search::find_value(choices, name)) value = *choice;
  return values;
}

void add_counts(search::NamedValues& names, const TrackedRun& run) {
  const AccessCounts counts = run.counts();
  for (std::size_t i = 0; i < count_kinds; ++i)
    names.emplace_back(std::string(name_of(static_cast<Count>(i))), counts.values[i]);
  for (const auto& [buffer, of] : counts.buffers) {
    names.emplace_back(buffer + "_loads", of.loads);
    names.emplace_back(buffer + "_stores", of.stores);
    names.emplace_back(buffer + "_atomics", of.atomics);
  }
}

// Runs techniques, each at most once, to find the values of the names in an effect's expression.
class Techniques {
 public:
  Techniques(const KernelTemplate& kernel, const DeviceInfo& host, const BackendOptions& options, Compiler& compiler)
      : kernel_(kernel), host_(host), options_(options), compiler_(compiler) {}

  // Returns the technique's parameters, variants, sizes and counts.
  const search::NamedValues& names_of(const Technique& technique) {
    const auto known = names_.find(technique.name);
    return known != names_.end() ? known->second : names_[technique.name] = run(technique);
  }

 private:
  search::NamedValues run(const Technique& technique) {
    const std::string preset = kernel_.presets.contains("effects") ? "effects"
                               : kernel_.presets.contains("host")  ? "host"
                                                                   : "";
    const search::NamedValues problem = with_choices(resolve_problem(kernel_, preset, {}).values(), technique.variants);
    const search::NamedValues configuration = with_choices(kernel_.default_values, technique.parameters);
    const std::string key = search::to_text(technique.variants);
    auto& runs = runs_[key];
    if (!runs)
      runs =
          std::make_unique<TrackedRuns>(kernel_, problem_constants(problem, host_), host_, options_, compiler_, false);
    const TrackedRun done = runs->run(configuration, {false, true});
    if (done.outcome != search::Outcome::correct)
      throw WorkloadError(
          fmt::format("techniques.{} of {} does not run: {}", technique.name, kernel_.name, done.message));
    search::NamedValues names = problem;
    names.insert(names.end(), configuration.begin(), configuration.end());
    add_counts(names, done);
    return names;
  }

  const KernelTemplate& kernel_;
  const DeviceInfo& host_;
  const BackendOptions& options_;
  Compiler& compiler_;
  std::map<std::string, std::unique_ptr<TrackedRuns>> runs_;  // by variants, which the data depend on
  std::map<std::string, search::NamedValues> names_;
};

// Returns the values of the names in an effect's expression. Buffers that no launch has touched have counts of zero.
search::NamedValues values_of(const Effect& effect, const KernelTemplate& kernel, const Technique& technique,
                              Techniques& techniques) {
  search::NamedValues values;
  for (const std::string& name : effect.holds.names()) {
    const auto term = std::ranges::find(effect.terms, name, &Effect::Term::name);
    const bool other = term != effect.terms.end();
    const search::NamedValues& names = techniques.names_of(other ? find_technique(kernel, term->technique) : technique);
    const search::Value* value = search::find_value(names, other ? term->count : name);
    values.emplace_back(name, value != nullptr ? *value : search::Value(std::int64_t{0}));
  }
  return values;
}

std::string shown(const Effect& effect, const search::NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    const auto term = std::ranges::find(effect.terms, name, &Effect::Term::name);
    text +=
        fmt::format("{}{} = {}", text.empty() ? "" : ", ",
                    term == effect.terms.end() ? name : term->technique + "." + term->count, search::to_text(value));
  }
  return text;
}

// Returns the effects that do not hold, with the counts that show it: "techniques.tiled: global_loads ==
// naive.global_loads / TILE_WIDTH does not hold: global_loads = 4096, …". The runs use the sizes of the preset
// `effects`, else of `host`, else the defaults.
std::vector<std::string> broken_effects(const KernelTemplate& kernel, const DeviceInfo& host,
                                        const BackendOptions& options, Compiler& compiler) {
  Techniques techniques(kernel, host, options, compiler);
  std::vector<std::string> broken;
  for (const Technique& technique : kernel.techniques)
    for (const Effect& effect : technique.effects) {
      const search::NamedValues values = values_of(effect, kernel, technique, techniques);
      if (!search::truth(effect.holds.evaluate(values)))
        broken.push_back(
            fmt::format("techniques.{}: {} does not hold: {}", technique.name, effect.text, shown(effect, values)));
    }
  return broken;
}

std::vector<std::string> templates_with_effects() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/templates")) {
    if (!exists(entry.path() / "template.toml")) continue;
    const KernelTemplate kernel = load_manifest(entry.path());
    if (std::ranges::any_of(kernel.techniques, [](const Technique& each) { return !each.effects.empty(); }))
      names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

class Effects : public HostTrials, public testing::WithParamInterface<std::string> {
 protected:
  Effects() : HostTrials(GetParam()) {}
};

TEST_P(Effects, AreAsStated) {
  EXPECT_THAT(broken_effects(kernel_, info_, {}, compiler_), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Library, Effects, testing::ValuesIn(templates_with_effects()),
                         [](const auto& chosen) { return chosen.param; });

}  // namespace
}  // namespace warptune::tuner
