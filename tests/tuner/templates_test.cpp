// Every template of the library, on the host backend: the default and a spread sample of its space, on sizes where
// boundaries go wrong. A new template is covered by being there.
#include <map>

#include "tests/support/host_trials.h"
#include "tests/support/places.h"
#include "tuner/measure/metrics/metrics.h"

namespace warptune::tuner {
namespace {

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/templates"))
    if (exists(entry.path() / "template.toml") && load_manifest(entry.path()).runs_on("host"))
      names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

// A size with a limit takes each value up to it in turn.
std::int64_t within_limit(const KernelTemplate& kernel, const std::string& size, std::int64_t extent) {
  const auto limit = kernel.size_limits.find(size);
  return limit == kernel.size_limits.end() ? extent : 1 + (extent - 1) % limit->second;
}

// Each variant takes its values in turn as `number` counts up, the first fastest: all combinations, if it goes far
// enough.
search::NamedValues variants_of(const KernelTemplate& kernel, std::size_t number) {
  search::NamedValues variants;
  for (const search::Parameter& variant : kernel.variants) {
    variants.emplace_back(variant.name, variant.values[number % variant.values.size()]);
    number /= variant.values.size();
  }
  return variants;
}

// The sizes' extents, but the last ones smaller where all together would take a CPU too long.
search::NamedValues bounded(const KernelTemplate& kernel, const std::vector<std::int64_t>& extents) {
  std::int64_t room = 200'000;
  search::NamedValues sizes = kernel.sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto& [name, value] = sizes[i];
    const bool limited = kernel.size_limits.contains(name);
    const std::int64_t size =
        limited ? within_limit(kernel, name, extents[i]) : std::clamp<std::int64_t>(room, 1, extents[i]);
    value = size;
    if (!limited) room /= size;
  }
  return sizes;
}

// Halves the last sizes until the default configuration's work takes a CPU well under a second, also where work grows
// with the square of a size.
void bound_work(const KernelTemplate& kernel, const DeviceInfo& info, search::NamedValues& problem) {
  const auto flops = [&] {
    return evaluate_work(kernel, scope_of(problem_constants(problem, info), kernel.default_values)).flops.value_or(0);
  };
  for (std::size_t i = kernel.sizes.size(); i-- > 0;) {
    std::int64_t size = std::get<std::int64_t>(problem[i].second);
    for (; size > 1 && flops() > 1e7; problem[i].second = size) size /= 2;
  }
}

// Beside the default. Compiling them is what takes the time; the sanitizers look for what sizes and launches do rather
// than for one configuration among thousands.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t sampled = 1;
#else
constexpr std::size_t sampled = 5;
#endif

// All sizes equal, and then all different: a template's boundaries along each dimension.
std::vector<search::NamedValues> problems_of(const KernelTemplate& kernel, const DeviceInfo& info) {
  std::vector<search::NamedValues> all;
  const std::size_t count = kernel.sizes.size();
  for (const std::int64_t extent : {1, 2, 31, 33, 127, 257})
    all.push_back(bounded(kernel, std::vector<std::int64_t>(count, extent)));
  std::vector<std::int64_t> extents;
  for (std::int64_t extent = 1009; extents.size() < count; extent = std::max<std::int64_t>(1, extent / 7))
    extents.push_back(extent);  // from a prime on
  all.push_back(bounded(kernel, extents));
  std::ranges::reverse(extents);
  all.push_back(bounded(kernel, extents));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& variant : variants_of(kernel, i)) all[i].push_back(variant);
    bound_work(kernel, info, all[i]);
  }
  return all;
}

class Templates : public HostTrials, public testing::WithParamInterface<std::string> {
 protected:
  Templates() : HostTrials(GetParam()) {}

  std::vector<search::NamedValues> sample() const {
    return spread(resolve_problem(kernel_, kernel_.presets.contains("host") ? "host" : "", {}).values(), sampled);
  }
};

// The default on all of them; of the sample two in turn, so that each meets several sizes and variants.
TEST_P(Templates, AreRightOnEverySize) {
  const std::vector<search::NamedValues> sample = this->sample(), problems = problems_of(kernel_, info_);
  for (std::size_t i = 0; i < problems.size(); ++i)
    expect_correct(problems[i], {kernel_.default_values, sample[i % sample.size()], sample[(i + 2) % sample.size()]});
}

#if !defined(__SANITIZE_ADDRESS__)  // one configuration among thousands, too
search::NamedValues with_choices(search::NamedValues values, const search::NamedValues& choices) {
  for (auto& [name, value] : values)
    if (const search::Value* choice = search::find_value(choices, name)) value = *choice;
  return values;
}

// Half of the techniques on sizes of 33 each, the others on sizes that all differ: each size costs a compilation. Those
// on one problem share its data and what is expected of them.
TEST_P(Templates, TechniquesAreRight) {
  const std::vector<search::NamedValues> problems = problems_of(kernel_, info_);
  const std::string preset = kernel_.presets.contains("host") ? "host" : "";
  std::map<std::string, std::pair<search::NamedValues, std::vector<search::NamedValues>>> by_problem;
  bool equal_sizes = false;
  for (const Technique& technique : kernel_.techniques) {
    SCOPED_TRACE(technique.name);
    const search::NamedValues configuration = with_choices(kernel_.default_values, technique.parameters);
    const search::NamedValues usual = with_choices(resolve_problem(kernel_, preset, {}).values(), technique.variants);
    const search::SearchSpace space = build_space(kernel_, problem_constants(usual, info_));
    const auto point = space.find(configuration);
    ASSERT_TRUE(point && space.contains(*point)) << search::to_text(configuration);
    equal_sizes = !equal_sizes;
    search::NamedValues problem = with_choices(problems[equal_sizes ? 3 : 6], technique.variants);
    auto& [sizes, configurations] = by_problem[search::to_text(problem)];
    sizes = std::move(problem);
    configurations.push_back(configuration);
  }
  for (const auto& [text, work] : by_problem) expect_correct(work.first, work.second);
}
#endif

INSTANTIATE_TEST_SUITE_P(Library, Templates, testing::ValuesIn(template_names()),
                         [](const auto& chosen) { return chosen.param; });

}  // namespace
}  // namespace warptune::tuner
