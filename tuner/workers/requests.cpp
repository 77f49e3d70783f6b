// See requests.h; wire_format.md lists the keys.
#include "tuner/workers/requests.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "search/error.h"

namespace warptune::tuner::workers {

namespace {

bool killed_from_outside(const End& end) {
  return !end.timed_out && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
}

}  // namespace

json to_json(const Setup& setup) {
  std::vector<std::string> includes(setup.include_directories.begin(), setup.include_directories.end());
  return {{"manifest", setup.manifest.string()},       {"capture", setup.capture.string()},
          {"include_directories", includes},           {"constants", to_json(setup.constants)},
          {"backend", to_json(setup.options.backend)}, {"policy", to_json(setup.options.policy)},
          {"cache", to_json(setup.options.cache)},     {"salt", setup.options.cache_salt}};
}

Setup setup_from(const json& value) {
  Setup setup;
  setup.manifest = value.at("manifest").get<std::string>();
  setup.capture = value.at("capture").get<std::string>();
  const auto includes = value.at("include_directories").get<std::vector<std::string>>();
  setup.include_directories.assign(includes.begin(), includes.end());
  setup.constants = named_values_from(value.at("constants"));
  setup.options.backend = backend_options_from(value.at("backend"));
  setup.options.policy = policy_from(value.at("policy"));
  setup.options.cache = cache_options_from(value.at("cache"));
  value.at("salt").get_to(setup.options.cache_salt);
  return setup;
}

json prepare_request(const Setup& setup, const DeviceInfo& device, bool yield) {
  Setup theirs = setup;
  theirs.options.backend.compile_timeout_s = 0;
  return {{"do", "prepare"}, {"setup", to_json(theirs)}, {"device", to_json(device)}, {"yield", yield}};
}

double setup_limit_s(const Setup& setup) {
  const BackendOptions& backend = setup.options.backend;
  return std::max(120.0, 2 * backend.compile_timeout_s + 10 * backend.kernel_timeout_s);
}

int most_deaths(const End& end) {
  return killed_from_outside(end) ? 5 : 1;
}

int most_failed_starts(const End& end) {
  return killed_from_outside(end) ? 20 : 3;
}

json refusal(const std::exception& error) {
  return {{"refused", search::to_string(search::kind_of(error))}, {"message", text_to_json(error.what())}};
}

bool is_refusal(const json& answer) {
  return answer.contains("refused");
}

void throw_refusal(const json& answer) {
  const auto kind = search::error_kind_from_string(answer.at("refused").get<std::string>());
  search::throw_error(kind, text_from_json(answer.at("message")));
}

}  // namespace warptune::tuner::workers
