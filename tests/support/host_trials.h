// Trials of a template of the library on the host backend, without a session around them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/places.h"
#include "tuner/device/backends/device_choice.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/measure/trial_runner.h"

namespace warptune {

// The reference and Warptune's own kernels are the same at every size; compiling them once keeps the suite quick.
class RememberingCompiler : public tuner::Compiler {
 public:
  explicit RememberingCompiler(tuner::Compiler& inner) : inner_(inner) {}
  std::string version() const override { return inner_.version(); }
  std::string preprocess(const tuner::CompileRequest& request) override { return inner_.preprocess(request); }
  tuner::CompileResult compile(const tuner::CompileRequest& request) override {
    std::string key = request.name + request.source;
    for (const auto& [name, value] : request.defines) key += "|" + name + "=" + value;
    for (const std::string& kernel : request.kernels) key += "|" + kernel;
    const auto known = results_.find(key);
    return known != results_.end() ? known->second : results_[key] = inner_.compile(request);
  }

 private:
  tuner::Compiler& inner_;
  std::map<std::string, tuner::CompileResult> results_;
};

class HostTrials : public testing::Test {
 protected:
  explicit HostTrials(const std::string& name)
      : kernel_(tuner::load_manifest(std::filesystem::path(source_folder() + "/templates") / name)),
        info_(tuner::choose_device("host", {})),
        backend_(*std::ranges::find(tuner::backends(), std::string_view("host"), &tuner::BackendEntry::name)),
        device_(backend_.open(info_, {})),
        inner_(backend_.compiler(info_, {})),
        compiler_(*inner_) {}

  // A sample of the space at these sizes in which each parameter's values occur evenly.
  std::vector<search::NamedValues> spread(const search::NamedValues& sizes, std::size_t count) const {
    const search::SearchSpace space = build_space(kernel_, problem_constants(sizes, info_));
    std::vector<search::NamedValues> chosen;
    search::Rng rng(20);
    for (const search::Configuration& configuration : space.spread(count, rng))
      chosen.push_back(space.values(configuration));
    return chosen;
  }

  // Those of the configurations that the template allows at these sizes are right; how many there were.
  int expect_correct(const search::NamedValues& sizes, const std::vector<search::NamedValues>& configurations) {
    const search::NamedValues constants = problem_constants(sizes, info_);
    tuner::Workload workload(kernel_, constants, *device_, compiler_, {}, true);
    const search::SearchSpace space = build_space(kernel_, constants);
    int tried = 0;
    for (const search::NamedValues& configuration : configurations) {
      const auto point = space.find(configuration);
      if (!point || !space.contains(*point)) continue;  // not at this size
      const search::Trial trial = run(sizes, configuration, workload);
      EXPECT_EQ(trial.outcome, search::Outcome::correct)
          << search::to_text(sizes) << " " << search::to_text(configuration) << "\n"
          << trial.message;
      ++tried;
    }
    return tried;
  }

  search::Trial run(const search::NamedValues& sizes, const search::NamedValues& configuration,
                    tuner::Workload& workload) {
    const search::NamedValues scope = tuner::scope_of(problem_constants(sizes, info_), configuration);
    const tuner::CompileResult result = compiler_.compile(compile_request(kernel_, "host", configuration, scope));
    search::Trial trial;
    if (!result.code) {
      trial.outcome = search::Outcome::compile_error;
      trial.message = result.log;
      return trial;
    }
    tuner::MeasurePolicy policy;
    policy.min_samples = policy.max_samples = 1;
    policy.warmup_seconds = policy.min_sample_ms = 0;
    tuner::TrialRunner(kernel_, workload, *device_, policy, [] {
      return 0.0;
    }).run(*result.code, scope, tuner::Purpose::trial, trial);
    return trial;
  }

  tuner::KernelTemplate kernel_;
  tuner::DeviceInfo info_;
  const tuner::BackendEntry& backend_;
  std::unique_ptr<tuner::Device> device_;
  std::unique_ptr<tuner::Compiler> inner_;
  RememberingCompiler compiler_;
};

}  // namespace warptune
