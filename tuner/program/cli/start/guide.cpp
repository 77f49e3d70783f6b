// Implements `warptune help`, which explains a verb or lists them all, and makes the guide from the definitions of
// CLI11's options.
#include "tuner/program/cli/start/guide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "tuner/device/backends/host/compile/limits_page.h"
#include "tuner/program/cli/grammar/context.h"
#include "tuner/program/cli/grammar/help.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/results/report/text/document.h"
#include "tuner/session/provenance.h"

namespace warptune::tuner::cli {

namespace {

std::vector<std::string> typed_names(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  return all;
}

bool takes_a_value(const CLI::Option& option) {
  return option.get_type_size() != 0 && option.get_expected_max() != 0;
}

std::string shown_value(const CLI::Option& option);

// Returns an option's name as it is typed; of a positional, its place.
std::string shown_name(const CLI::Option& option) {
  return option.get_positional() ? shown_value(option) : typed_names(option).front();
}

// Returns "LIMIT" of "--budget LIMIT ...", as the help shows it.
std::string shown_value(const CLI::Option& option) {
  std::string text = name_and_type(option);
  if (const std::size_t dots = text.rfind(" ..."); dots != std::string::npos) text.resize(dots);
  if (option.get_positional()) return text;
  const std::size_t space = text.rfind(' ');
  return space == std::string::npos ? "" : text.substr(space + 1);
}

std::string type_word(const CLI::Option& option, const std::optional<NumberRange>& range) {
  if (!takes_a_value(option)) return "flag";
  if (range) return range->whole ? "integer" : "number";
  const std::string type = option.get_type_name();
  if (type.starts_with("INT") || type.starts_with("UINT")) return "integer";
  return type.starts_with("FLOAT") ? "number" : "text";
}

Json names_of(const std::set<CLI::Option*>& options) {
  Json names = Json::array();
  for (const CLI::Option* option : options) names.push_back(shown_name(*option));
  return names;
}

void add_if_any(Json& json, const char* name, const Json& value) {
  if (!value.empty()) json[name] = value;
}

// Describes an option. What it does not have is left out, since the guide is to be short.
Json option_json(const CLI::Option& option, const std::string& heading) {
  const auto names = typed_names(option);
  const auto range = range_of(option);
  const std::string value = shown_value(option);
  Json json = {{"name", shown_name(option)}, {"type", type_word(option, range)}};
  if (names.size() > 1) json["aliases"] = std::vector<std::string>(names.begin() + 1, names.end());
  if (option.get_positional()) json["positional"] = true;
  if (takes_a_value(option) && !option.get_positional()) json["value"] = value;
  add_if_any(json, "choices", choices_of(option));
  if (range) json["minimum"] = range->least, json["maximum"] = range->most;
  if (takes_a_value(option) && !option.get_default_str().empty()) json["default"] = option.get_default_str();
  if (option.get_required()) json["required"] = true;
  if (option.get_expected_max() >= CLI::detail::expected_max_vector_size) json["repeatable"] = true;
  add_if_any(json, "needs", names_of(option.get_needs()));
  add_if_any(json, "excludes", names_of(option.get_excludes()));
  json["group"] = heading;
  json["description"] = option.get_description();
  return json;
}

Json examples_of(const CLI::App& verb) {
  Json examples = Json::array();
  std::istringstream lines(verb.get_footer());
  std::string what;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  # ")) what = line.substr(4);
    if (line.starts_with("  ") && !line.starts_with("  #"))
      examples.push_back({{"what", what}, {"command", line.substr(2)}});
  }
  return examples;
}

// Returns what a verb says at the end of its help, besides its examples.
std::string remarks_of(const CLI::App& verb) {
  const std::string footer = verb.get_footer();
  std::string text = footer.substr(0, footer.find("Examples:"));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Json verb_json(const CLI::App& verb, const std::string& name, const std::string& program) {
  Json json = {
      {"name", name}, {"description", verb.get_description()}, {"usage", usage_of(verb, program + ' ' + name)}};
  if (!verb.get_group().empty() && verb.get_group() != "Subcommands") json["group"] = verb.get_group();
  json["options"] = Json::array();
  for (const OptionGroup& options : option_groups(verb))
    for (const CLI::Option* option : options.options) {
      if (option == verb.get_help_ptr()) continue;
      json["options"].push_back(option_json(*option, options.heading));
      if (option->check_name("--format")) json["formats"] = choices_of(*option);
    }
  add_if_any(json, "remarks", remarks_of(verb));
  add_if_any(json, "examples", examples_of(verb));
  return json;
}

void add_verbs_below(const CLI::App& verb, const std::string& prefix, const std::string& program, Json& to) {
  for (const VerbGroup& group : verb_groups(verb))
    for (const CLI::App* one : group.verbs) {
      const std::string name = prefix + one->get_name();
      to.push_back(verb_json(*one, name, program));
      add_verbs_below(*one, name + ' ', program, to);
    }
}

// Returns a verb's name as it is typed, without the program.
std::string full_name(const CLI::App& verb) {
  const CLI::App* parent = verb.get_parent();
  return parent && parent->get_parent() ? full_name(*parent) + ' ' + verb.get_name() : verb.get_name();
}

Json exit_codes() {
  static const std::vector<std::tuple<ExitCode, const char*, const char*>> codes = {
      {success, "success", "done"},
      {internal_error, "internal_error", "an internal error, or output that could not be written"},
      {usage_error, "usage", "the command line is wrong"},
      {request_error, "request", "the template, the size or a file cannot be used"},
      {no_device, "no_device", "no such device"},
      {store_error, "store", "the store cannot be read or written"},
      {nothing_correct, "nothing_correct",
       "no configuration is correct, or nothing matches; judge: the kernel is wrong"},
      {device_lost, "device_lost", "no GPU can be opened any more; the same command continues"},
      {regression, "regression", "check: slower than recorded; judge: slower than --at-least"},
      {not_current, "not_current", "stored under another driver, compiler or source"},
      {check_failed, "check_failed", "check: wrong now, or not measurable; judge: the reference itself is wrong"},
      {work_not_done, "work_not_done", "wait: submitted work failed, was cancelled, or had not ended in time"},
      {slower_machine, "slower_machine", "check: winners and defaults are slower than recorded by the same factor"},
      {interrupted, "interrupted", "the best so far was printed; the same command continues"}};
  Json json = Json::array();
  for (const auto& [code, name, meaning] : codes)
    json.push_back({{"code", static_cast<int>(code)}, {"name", name}, {"meaning", meaning}});
  return json;
}

}  // namespace

const Entries& environment_variables() {
  static const Entries variables = {
      {"WARPTUNE_DB", "the store; --db overrides it"},
      {"WARPTUNE_SYSTEM_DB", "a store that is only read, beneath all others"},
      {"WARPTUNE_RECONNECT", "how long a lost server of the store is waited for, as 5m; default: 30s"},
      {"WARPTUNE_TEMPLATES", "a folder of templates that is searched first"},
      {"XDG_DATA_HOME, XDG_CACHE_HOME", "where store and compiled configurations are kept, in warptune below them"},
      {"WARPTUNE_CACHE_URL", "a cache of machine code that machines share; --cache-url overrides it"},
      {"WARPTUNE_CACHE_READ_ONLY", "1: take from that cache, and give nothing"},
      {"WARPTUNE_CACHE_TOKEN, WARPTUNE_CACHE_LOGIN", "what it is asked with: a bearer token, or USER:PASSWORD"},
      {"CUDA_HOME, CUDA_PATH", "the toolkit whose NVRTC and headers are used"},
      {"CXX", "the compiler of the host backend"},
      {"TMPDIR", "where that compiler keeps temporary files; the program's own are in /tmp"},
      {"NO_COLOR", "no colours"}};
  return variables;
}

Json guide(const CLI::App& program, const CLI::App& asked) {
  Json json = document("help");
  json["program"] = program.get_name();
  json["version"] = tool_version;
  json["description"] = program.get_description();
  json["output_schema"] = output_schema;
  json["output"] = "stdout is data, stderr is talk; --format json prints one document of the schema";
  json["verbs"] = Json::array();
  if (&asked != &program) {
    const std::string name = full_name(asked);
    json["verbs"].push_back(verb_json(asked, name, program.get_name()));
    add_verbs_below(asked, name + ' ', program.get_name(), json["verbs"]);
  } else {
    add_verbs_below(program, "", program.get_name(), json["verbs"]);
  }
  json["exit_codes"] = exit_codes();
  json["environment"] = Json::object();
  for (const auto& [name, meaning] : environment_variables()) json["environment"][name] = meaning;
  return json;
}

void add_help(CLI::App& program) {
  CLI::App* verb = program.add_subcommand("help", "Explain a verb, or list them all");
  auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("verb", *words, "a verb, a verb of a verb (cache stats), or host: what the host backend lacks");
  auto as_data = std::make_shared<bool>(false);
  verb->add_flag("--json", *as_data, "print verbs, options and exit codes as one JSON document");
  verb->group(verbs::program);
  add_examples(*verb, {{"what `tune` can do", "warptune help tune"},
                       {"what a kernel cannot use on the CPU", "warptune help host"},
                       {"the whole command line, for a program", "warptune help --json"}});
  verb->callback([words, as_data, &program] {
    if (*as_data) return write_output("", guide(program, find_verb(program, *words)).dump() + '\n');
    if (*words == std::vector<std::string>{"host"}) return write_output("", std::string(host::limits_page()));
    const CLI::App& asked = find_verb(program, *words);
    std::string name = program.get_name();
    for (const std::string& word : *words) name += ' ' + word;
    write_output("", HelpFormatter().make_help(&asked, name, CLI::AppFormatMode::Normal));
  });
}

}  // namespace warptune::tuner::cli
