// Lists values by the choices of an option, by what a template has of it, or by its type.
#include "tuner/program/cli/start/complete_values.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "search/strategies/strategy.h"
#include "tuner/device/backends/device_choice.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/templates/template_lookup.h"

namespace warptune::tuner::cli {

namespace {

void add_strategy_names(Candidates& found) {
  for (const search::StrategyEntry& entry : search::strategies())
    found.words.push_back({std::string(entry.name), std::string(entry.summary)});
}

void add_template_names(Candidates& found) {
  for (const std::filesystem::path& manifest : all_templates())
    found.words.push_back({manifest.parent_path().filename().string()});
}

void add_devices_to_tune_on(Candidates& found) {
  for (const BackendEntry& backend : backends()) {
    DeviceInfo device;
    device.id = device.backend = backend.name;
    for (const DeviceInfo& each : with_variants({device})) found.words.push_back({each.id});
  }
  found.words.push_back({"cuda:0"});
  found.words.push_back({"cuda:all"});
  found.words.push_back({"replay:"});
}

// Adds the newest sessions of the first store. Whoever wants an old one knows its number.
void add_sessions(const Context& context, Candidates& found) {
  if (!context.has_store()) return;
  db::HistoryFilter filter;
  filter.limit = 50;
  for (const auto& [session, store] : context.open_stores().history(filter))
    if (store == 0)
      found.words.push_back(
          {std::to_string(session.id), fmt::format("{} {} {}", session.key.kernel,
                                                   search::to_text(session.key.problem()), session.key.device.name)});
}

// Adds NAME= for each name and, once a name is typed, NAME=VALUE for its values. What stands before the last comma
// stays.
void add_assignments(const std::vector<search::Parameter>& domains, const std::vector<std::string>& about,
                     const std::string& typed, Candidates& found) {
  const std::size_t comma = typed.rfind(',');
  const std::string before = comma == std::string::npos ? "" : typed.substr(0, comma + 1);
  const std::string name = typed.substr(before.size(), typed.find('=', before.size()) - before.size());
  const bool named = typed.find('=', before.size()) != std::string::npos;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    if (!named)
      found.words.push_back({before + domains[i].name + '=', i < about.size() ? about[i] : ""});
    else if (domains[i].name == name)
      for (const search::Value& value : domains[i].values)
        found.words.push_back({before + name + '=' + search::to_text(value)});
  }
}

using OfTemplate = void (*)(const KernelTemplate&, const std::string& typed, Candidates&);

// Returns by the option's name the functions that add what a template has of it.
const std::map<std::string, OfTemplate>& template_options() {
  static const std::map<std::string, OfTemplate> all = {
      {"param", [](const KernelTemplate& kernel, const std::string& typed,
                   Candidates& found) { add_assignments(kernel.parameters, kernel.about, typed, found); }},
      {"configuration", [](const KernelTemplate& kernel, const std::string& typed,
                           Candidates& found) { add_assignments(kernel.parameters, kernel.about, typed, found); }},
      {"variant", [](const KernelTemplate& kernel, const std::string& typed,
                     Candidates& found) { add_assignments(kernel.variants, {}, typed, found); }},
      {"size",
       [](const KernelTemplate& kernel, const std::string& typed, Candidates& found) {
         std::vector<search::Parameter> sizes;
         for (const auto& [name, value] : kernel.sizes) sizes.push_back({name, {value}});
         add_assignments(sizes, {}, typed, found);
       }},
      {"preset",
       [](const KernelTemplate& kernel, const std::string&, Candidates& found) {
         for (const auto& [name, values] : kernel.presets) found.words.push_back({name, search::to_text(values)});
       }},
      {"technique",
       [](const KernelTemplate& kernel, const std::string&, Candidates& found) {
         for (const Technique& one : kernel.techniques) found.words.push_back({one.name, one.about});
       }},
      {"objective",
       [](const KernelTemplate& kernel, const std::string&, Candidates& found) {
         for (const char* name : {"time", "joules", "max_error", "rms_error"}) found.words.push_back({name});
         for (const Metric& metric : kernel.metrics) found.words.push_back({metric.name});
       }},
  };
  return all;
}

void add_words(const std::vector<std::string>& words, Candidates& found) {
  for (const std::string& word : words) found.words.push_back({word});
}

// Adds values by the type that help shows.
void add_values_of_type(const std::string& type, const Context& context, Candidates& found) {
  if (type == "TEMPLATE" || type == "KERNEL") add_template_names(found);
  if (type == "DEVICE") add_devices_to_tune_on(found);
  if (type == "SESSION") add_sessions(context, found);
  if (type == "LIMIT") add_words({"60s", "5m", "1h", "500", "idle:", "target:", "improvement:"}, found);
  if (type == "DATE") add_words({"today", "yesterday", "7d", "30d", "last week", "last month"}, found);
  found.files |= type == "FILE" || type == "TEMPLATE" || type.find(":FILE") != std::string::npos;
  found.folders |= type == "FOLDER";
}

}  // namespace

void add_values(const Asked& asked, const Context& context, Candidates& found) {
  if (const auto choices = choices_of(asked.option); !choices.empty()) return add_words(choices, found);
  const std::string name = asked.option.get_lnames().empty() ? "" : asked.option.get_lnames().front();
  if (name == "strategy" || name == "strategies") return add_strategy_names(found);
  const auto of_template = template_options().find(name);
  if (of_template == template_options().end()) return add_values_of_type(asked.option.get_type_name(), context, found);
  if (asked.kernel.empty()) return;
  try {
    of_template->second(load_template(find_template(asked.kernel)), asked.typed, found);
  } catch (const std::exception&) {  // a template that cannot be read has nothing to offer
  }
}

}  // namespace warptune::tuner::cli
