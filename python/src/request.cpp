#include "python/src/request.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tuner/kernel/json_values.h"
#include "tuner/kernel/problem.h"

namespace warptune::python {

namespace {

using tuner::Json;

// Throws RequestError where it is a value of another type.
template <class T>
T get(const Json& member, const char* name) {
  try {
    return member.get<T>();
  } catch (const Json::exception& error) {
    throw tuner::RequestError(fmt::format("{} says {}: {}", name, member.dump(), tuner::words_of(error)));
  }
}

// Leaves `to` as it is where the member is missing or null.
template <class T>
void take(const Json& json, const char* name, T& to) {
  if (const auto found = json.find(name); found != json.end() && !found->is_null()) to = get<T>(*found, name);
}

template <class T>
void take(const Json& json, const char* name, std::optional<T>& to) {
  if (const auto found = json.find(name); found != json.end() && !found->is_null()) to = get<T>(*found, name);
}

void take(const Json& json, const char* name, std::filesystem::path& to) {
  std::string text;
  take(json, name, text);
  if (!text.empty()) to = text;
}

void take(const Json& json, const char* name, std::vector<std::filesystem::path>& to) {
  std::vector<std::string> texts;
  take(json, name, texts);
  if (!texts.empty()) to.assign(texts.begin(), texts.end());
}

void take(const Json& json, const char* name, search::NamedValues& to) {
  if (const auto found = json.find(name); found != json.end() && !found->is_null())
    to = tuner::values_from_json(*found);
}

tuner::BackendOptions read_backend(const Json& json) {
  tuner::BackendOptions backend;
  take(json, "library_directories", backend.library_directories);
  take(json, "cuda_include_directories", backend.cuda_include_directories);
  take(json, "host_compiler", backend.host_compiler);
  take(json, "host_threads", backend.host_threads);
  take(json, "compile_timeout", backend.compile_timeout_s);
  take(json, "kernel_timeout", backend.kernel_timeout_s);
  return backend;
}

search::BudgetLimits read_budget(const Json& json) {
  search::BudgetLimits budget;
  take(json, "seconds", budget.seconds);
  take(json, "trials", budget.trials);
  take(json, "stagnation", budget.stagnation);
  take(json, "target", budget.target);
  take(json, "min_expected_improvement", budget.min_expected_improvement);
  return budget;
}

tuner::EvaluatorOptions read_evaluator(const Json& json) {
  tuner::EvaluatorOptions evaluator;
  evaluator.backend = read_backend(json.value("backend", Json::object()));
  std::string verify = "always";
  take(json, "verify", verify);
  evaluator.policy.verify = tuner::verify_from_string(verify);
  take(json, "cold_cache", evaluator.policy.cold_cache);
  std::string as = "automatic";
  take(json, "as", as);
  evaluator.policy.as = tuner::launch_as_from_string(as);
  take(json, "precision", evaluator.policy.precision);
  take(json, "race", evaluator.policy.race);
  take(json, "energy", evaluator.policy.energy);
  take(json, "min_samples", evaluator.policy.min_samples);
  take(json, "max_samples", evaluator.policy.max_samples);
  take(json, "cache_folder", evaluator.cache.folder);
  take(json, "compile_jobs", evaluator.compile_jobs);
  return evaluator;
}

}  // namespace

tuner::TuneRequest request_from_json(const std::string& text) {
  const Json json = Json::parse(text);
  tuner::TuneRequest request;
  request.started = std::chrono::steady_clock::now();
  take(json, "manifest", request.manifest);
  take(json, "temporary_manifest", request.temporary_manifest);
  take(json, "capture", request.capture);
  take(json, "preset", request.preset);
  take(json, "sizes", request.sizes);
  take(json, "variants", request.variants);
  take(json, "restrictions", request.restrictions);
  take(json, "device", request.device);
  take(json, "include_directories", request.include_directories);
  take(json, "strategy", request.strategy);
  take(json, "strategy_options", request.strategy_options);
  take(json, "seed", request.seed);
  take(json, "name", request.name);
  take(json, "objective", request.objective);
  take(json, "finals", request.finals);
  take(json, "finals_seconds", request.finals_seconds);
  take(json, "most_failures", request.most_failures);
  take(json, "deterministic", request.deterministic);
  request.budget = read_budget(json.value("budget", Json::object()));
  request.evaluator = read_evaluator(json.value("evaluator", Json::object()));
  std::string worker;
  take(json, "worker", worker);
  if (!worker.empty()) request.workers = tuner::workers::Program{worker, {"worker"}};
  return request;
}

std::vector<search::NamedValues> problems_from_json(const std::string& text) {
  std::vector<search::NamedValues> problems;
  for (const Json& problem : Json::parse(text)) problems.push_back(tuner::values_from_json(problem));
  return problems;
}

tuner::WorkRequest work_request_from_json(const std::string& text) {
  const Json json = Json::parse(text);
  tuner::WorkRequest request;
  take(json, "store", request.store);
  take(json, "program", request.program);
  take(json, "device", request.device);
  take(json, "environment", request.environment);
  take(json, "drain", request.drain);
  take(json, "idle_exit", request.idle_exit_s);
  take(json, "grace", request.grace_s);
  request.backend = backend_from_json(json.value("backend", Json::object()).dump());
  return request;
}

search::NamedValues configuration_from_json(const std::string& text) {
  search::NamedValues configuration;
  take(Json::parse(text), "configuration", configuration);
  return configuration;
}

tuner::BackendOptions backend_from_json(const std::string& text) {
  return read_backend(Json::parse(text));
}

}  // namespace warptune::python
