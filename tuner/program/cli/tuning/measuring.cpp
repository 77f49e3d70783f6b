// Adds the options and makes the requests of measuring.h.
#include "tuner/program/cli/tuning/measuring.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/stores/shared_cache.h"

namespace warptune::tuner::cli {

void add_compile_jobs_option(CLI::App& verb, EvaluatorOptions& options) {
  verb.add_option("--compile-jobs", options.compile_jobs, "parallel compilations; 0: one per core")
      ->check(whole(0, most_jobs))
      ->group(group::compiling)
      ->capture_default_str();
}

void add_compile_options(CLI::App& verb, EvaluatorOptions& options) {
  add_compile_jobs_option(verb, options);
  verb.add_option("--compile-timeout", options.backend.compile_timeout_s, "time limit of one compilation")
      ->check(real(1e-3, most_seconds))
      ->group(group::compiling)
      ->type_name("SECONDS")
      ->capture_default_str();
}

void add_include_option(CLI::App& verb, std::vector<std::filesystem::path>& folders, const std::string& description) {
  const auto refusal = [](const std::string& folder) -> std::string {
    std::error_code ignored;
    if (std::filesystem::is_directory(folder, ignored)) return {};
    if (std::filesystem::exists(folder, ignored))
      return fmt::format("{} is a file; name the folder that headers are searched in", folder);
    return fmt::format("there is no folder {}; name the one that the headers are in", folder);
  };
  verb.add_option("-I", folders, description)
      ->check(CLI::Validator(refusal, ""))
      ->type_name("FOLDER")
      ->group(group::compiling)
      ->allow_extra_args(false)
      ->take_all();
}

void add_deployment_options(CLI::App& verb, std::string& as, MeasurePolicy& policy) {
  verb.option_defaults()->group(group::measuring);
  verb.add_option("--as", as,
                  "how a sample launches the kernel; choose what your program does. stream: a call per launch; graph: "
                  "a CUDA graph; automatic: a graph for short kernels")
      ->check(one_of({"automatic", "stream", "graph"}))
      ->capture_default_str();
  verb.add_option("--clock", policy.clock_mhz, "lock the GPU's clock while it measures; needs root")
      ->check(whole(1, 100'000))
      ->type_name("MHZ");
  verb.add_option("--power-cap", policy.power_cap_w, "cap the GPU's power while it measures; needs root")
      ->check(whole(1, 100'000))
      ->type_name("WATTS");
}

EvaluatorOptions with_environment(EvaluatorOptions options) {
  const BackendOptions environment = backend_options();
  options.backend.library_directories = environment.library_directories;
  options.backend.cuda_include_directories = environment.cuda_include_directories;
  options.backend.host_compiler = environment.host_compiler;
  return options;
}

TuneRequest request_again(const db::SessionRecord& session, const Standing& standing, EvaluatorOptions evaluator) {
  TuneRequest request;
  request.manifest = standing.manifest;
  request.device = standing.device->id;
  request.capture = standing.capture;
  if (request.capture.empty()) {  // a capture brings its own sizes and variants
    request.sizes = session.key.problem_size;
    request.variants = session.key.variants;
  }
  request.restrictions = session.key.restrictions;
  request.objective = session.objective;
  request.evaluator = with_environment(std::move(evaluator));
  request.evaluator.policy = standing.policy;
  request.evaluator.cache = cache_of_user();
  request.workers = worker_program();
  return request;
}

}  // namespace warptune::tuner::cli
