// Trials of a template of the library on the host backend, without a session around them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tuner/device_choice.h"
#include "tuner/kernel/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/trial_runner.h"

namespace warptune {

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

class HostTrials : public testing::Test {
 protected:
  explicit HostTrials(const std::string& name)
      : kernel_(load_manifest(std::filesystem::path(WARPTUNE_SOURCE_DIR "/templates") / name)),
        info_(choose_device("host", {})),
        backend_(*std::ranges::find(backends(), std::string_view("host"), &BackendEntry::name)),
        device_(backend_.open(info_, {})),
        inner_(backend_.compiler(info_, {})),
        compiler_(*inner_) {}

  // A sample of the space at these sizes in which each parameter's values occur evenly.
  std::vector<NamedValues> spread(const NamedValues& sizes, std::size_t count) const {
    const SearchSpace space = build_space(kernel_, problem_constants(sizes, info_));
    std::vector<NamedValues> chosen;
    Rng rng(20);
    for (const Configuration& configuration : space.spread(count, rng)) chosen.push_back(space.values(configuration));
    return chosen;
  }

  // Those of the configurations that the template allows at these sizes are right; how many there were.
  int expect_correct(const NamedValues& sizes, const std::vector<NamedValues>& configurations) {
    const NamedValues constants = problem_constants(sizes, info_);
    Workload workload(kernel_, constants, *device_, compiler_, {}, true);
    const SearchSpace space = build_space(kernel_, constants);
    int tried = 0;
    for (const NamedValues& configuration : configurations) {
      const auto point = space.find(configuration);
      if (!point || !space.contains(*point)) continue;  // not at this size
      const Trial trial = run(sizes, configuration, workload);
      EXPECT_EQ(trial.outcome, Outcome::correct) << to_text(sizes) << " " << to_text(configuration) << "\n"
                                                 << trial.message;
      ++tried;
    }
    return tried;
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

}  // namespace warptune
