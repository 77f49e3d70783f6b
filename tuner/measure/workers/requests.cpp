// Converts the set-up field by field; wire_format.md lists the keys.
#include "tuner/measure/workers/requests.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "search/error.h"

namespace warptune::tuner::workers {

namespace {

bool killed_from_outside(const End& end) {
  return !end.timed_out && end.fault.empty() && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
}

json json_of_place(const TemplatePlace& place) {
  const std::vector<std::string> includes(place.include_directories.begin(), place.include_directories.end());
  return {{"manifest", place.manifest.string()},
          {"capture", place.capture.string()},
          {"include_directories", includes},
          {"root", place.root.string()},
          {"options", place.options},
          {"backend_options", place.backend_options},
          {"first_includes", place.first_includes},
          {"headers_hash", place.headers_hash},
          {"data_hash", place.data_hash}};
}

TemplatePlace place_from(const json& value) {
  TemplatePlace place;
  place.manifest = value.at("manifest").get<std::string>();
  place.capture = value.at("capture").get<std::string>();
  const auto includes = value.at("include_directories").get<std::vector<std::string>>();
  place.include_directories.assign(includes.begin(), includes.end());
  place.root = value.at("root").get<std::string>();
  value.at("options").get_to(place.options);
  value.at("backend_options").get_to(place.backend_options);
  value.at("first_includes").get_to(place.first_includes);
  value.at("headers_hash").get_to(place.headers_hash);
  value.at("data_hash").get_to(place.data_hash);
  return place;
}

}  // namespace

json to_json(const Setup& setup) {
  return {{"place", json_of_place(setup.place)},       {"constants", to_json(setup.constants)},
          {"backend", to_json(setup.options.backend)}, {"policy", to_json(setup.options.policy)},
          {"cache", to_json(setup.options.cache)},     {"salt", setup.options.cache_salt}};
}

Setup setup_from(const json& value) {
  Setup setup;
  setup.place = place_from(value.at("place"));
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

json refusal(const std::exception& error, const std::filesystem::path& root) {
  std::string text = error.what();
  const std::string hidden = root.string();
  for (auto at = text.find(hidden); !hidden.empty() && at != std::string::npos; at = text.find(hidden, at))
    text.erase(at, hidden.size());
  return {{"refused", search::to_string(search::kind_of(error))}, {"message", text_to_json(text)}};
}

bool is_refusal(const json& answer) {
  return answer.contains("refused");
}

void throw_refusal(const json& answer) {
  const auto kind = search::error_kind_from_string(answer.at("refused").get<std::string>());
  search::throw_error(kind, text_from_json(answer.at("message")));
}

}  // namespace warptune::tuner::workers
