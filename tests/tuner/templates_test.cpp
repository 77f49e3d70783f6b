// Every template of the library, on the host backend: the default and a spread sample of its space, on sizes where
// boundaries go wrong. A new template is covered by being there.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tuner/device_choice.h"
#include "tuner/kernel/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/trial_runner.h"

namespace warptune {
namespace {

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(WARPTUNE_SOURCE_DIR "/templates"))
    if (entry.is_directory() && load_manifest(entry.path()).runs_on("host"))
      names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

// The reference and Warptune's own kernels are the same at every size; compiling them once keeps the suite quick.
class RememberingCompiler : public Compiler {
 public:
  explicit RememberingCompiler(Compiler& inner) : inner_(inner) {}
  std::string version() const override { return inner_.version(); }
  std::string preprocess(const CompileRequest& request) override { return inner_.preprocess(request); }
  CompileResult compile(const CompileRequest& request) override {
    std::string key = request.name + request.source;
    for (const auto& [name, value] : request.defines) key += "|" + name + "=" + value;
    for (const std::string& kernel : request.kernels) key += "|" + kernel;
    const auto known = results_.find(key);
    return known != results_.end() ? known->second : results_[key] = inner_.compile(request);
  }

 private:
  Compiler& inner_;
  std::map<std::string, CompileResult> results_;
};

// A size with a limit takes each value up to it in turn.
std::int64_t within_limit(const KernelTemplate& kernel, const std::string& size, std::int64_t extent) {
  const auto limit = kernel.size_limits.find(size);
  return limit == kernel.size_limits.end() ? extent : 1 + (extent - 1) % limit->second;
}

// The sizes' extents, but the last ones smaller where all together would take a CPU too long.
NamedValues bounded(const KernelTemplate& kernel, const std::vector<std::int64_t>& extents) {
  std::int64_t room = 500'000;
  NamedValues sizes = kernel.sizes;
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

// Beside the default. Compiling them is what takes the time; the sanitizers look for what sizes and launches do rather
// than for one configuration among thousands.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t sampled = 5;
#else
constexpr std::size_t sampled = 12;
#endif

// All sizes equal, and then all different: a template's boundaries along each dimension.
std::vector<NamedValues> sizes_of(const KernelTemplate& kernel) {
  std::vector<NamedValues> all;
  const std::size_t count = kernel.sizes.size();
  for (const std::int64_t extent : {1, 2, 31, 33, 127, 257})
    all.push_back(bounded(kernel, std::vector<std::int64_t>(count, extent)));
  std::vector<std::int64_t> extents;
  for (std::int64_t extent = 1009; extents.size() < count; extent = std::max<std::int64_t>(1, extent / 7))
    extents.push_back(extent);  // from a prime on
  all.push_back(bounded(kernel, extents));
  std::ranges::reverse(extents);
  all.push_back(bounded(kernel, extents));
  return all;
}

class Templates : public testing::TestWithParam<std::string> {
 protected:
  Templates()
      : kernel_(load_manifest(std::filesystem::path(WARPTUNE_SOURCE_DIR "/templates") / GetParam())),
        info_(choose_device("host", {})),
        backend_(*std::ranges::find(backends(), std::string_view("host"), &BackendEntry::name)),
        device_(backend_.open(info_, {})),
        inner_(backend_.compiler(info_, {})),
        compiler_(*inner_) {}

  // Configurations to try: the default, and a sample in which each parameter's values occur evenly.
  std::vector<NamedValues> configurations() {
    const NamedValues sizes = resolve_sizes(kernel_, kernel_.presets.contains("host") ? "host" : "", {});
    const SearchSpace space = build_space(kernel_, problem_constants(sizes, info_));
    std::vector<NamedValues> chosen{kernel_.default_values};
    Rng rng(20);
    for (const Configuration& configuration : space.spread(sampled, rng)) chosen.push_back(space.values(configuration));
    return chosen;
  }

  Trial run(const NamedValues& sizes, const NamedValues& configuration, Workload& workload) {
    NamedValues scope = problem_constants(sizes, info_);
    scope.insert(scope.end(), configuration.begin(), configuration.end());
    const CompileResult result = compiler_.compile(compile_request(kernel_, "host", configuration, scope));
    Trial trial;
    if (!result.code) {
      trial.outcome = Outcome::compile_error;
      trial.message = result.log;
      return trial;
    }
    MeasurePolicy policy;
    policy.min_samples = policy.max_samples = 1;
    policy.warmup_seconds = policy.min_sample_ms = 0;
    TrialRunner(kernel_, workload, *device_, policy, [] {
      return 0.0;
    }).run(*result.code, scope, Purpose::trial, trial);
    return trial;
  }

  KernelTemplate kernel_;
  DeviceInfo info_;
  const BackendEntry& backend_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Compiler> inner_;
  RememberingCompiler compiler_;
};

TEST_P(Templates, AreRightOnEverySize) {
  const auto configurations = this->configurations();
  for (const NamedValues& sizes : sizes_of(kernel_)) {
    const NamedValues constants = problem_constants(sizes, info_);
    Workload workload(kernel_, constants, *device_, compiler_, {}, true);
    const SearchSpace space = build_space(kernel_, constants);
    for (const NamedValues& configuration : configurations) {
      const auto point = space.find(configuration);
      if (!point || !space.contains(*point)) continue;  // not at this size
      const Trial trial = run(sizes, configuration, workload);
      EXPECT_EQ(trial.outcome, Outcome::correct) << to_text(sizes) << " " << to_text(configuration) << "\n"
                                                 << trial.message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Library, Templates, testing::ValuesIn(template_names()),
                         [](const auto& chosen) { return chosen.param; });

}  // namespace
}  // namespace warptune
