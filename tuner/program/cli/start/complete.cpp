// Understands the words before the cursor as far as possible, and lists what fits behind them. Values come from the
// choices of an option, from what a template has of it, or from its type.
#include "tuner/program/cli/start/complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "search/plain_text.h"
#include "search/strategies/strategy.h"
#include "tuner/device/backends/device_choice.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/program/cli/grammar/help.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/templates/template_lookup.h"

namespace warptune::tuner::cli {

namespace {

struct Asked {
  const CLI::Option& option;
  const CLI::App& verb;
  std::string kernel;  // the template on the line; empty if there is none yet
  std::string typed;   // the beginning of the value
};

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

bool takes_value(const CLI::Option& option) {
  return option.get_type_size() != 0 && option.get_expected_max() != 0;
}

bool takes_many(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

const CLI::Option* find_option(const CLI::App& verb, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  for (const CLI::Option* option : verb.get_options())
    if (option->nonpositional() && option->check_name(name)) return option;
  return nullptr;
}

const CLI::App* find_subverb(const CLI::App& verb, const std::string& word) {
  const auto named = verb.get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
  return named.empty() ? nullptr : named.front();
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& verb) {
  return verb.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

// A line is what is understood of the words before the one that is typed.
struct Line {
  const CLI::App* verb;
  const CLI::Option* open = nullptr;  // an option that waits for its value
  bool may_close = false;             // the open option has a value already, and may take more
  std::set<const CLI::Option*> used;
  std::vector<std::string> arguments;  // positionals

  void take(const std::string& word) {
    if (open && !(may_close && word.starts_with('-'))) return take_value();
    open = nullptr;
    if (word.size() > 1 && word.starts_with('-')) return take_option(word);
    if (const CLI::App* next = arguments.empty() ? find_subverb(*verb, word) : nullptr)
      verb = next;
    else
      arguments.push_back(word);
  }

 private:
  void take_value() {
    if (takes_many(*open) && open->get_allow_extra_args())
      may_close = true;
    else
      open = nullptr;
  }
  void take_option(const std::string& word) {
    const CLI::Option* option = find_option(*verb, word);
    if (!option) return;
    used.insert(option);
    if (takes_value(*option) && word.find('=') == std::string::npos) open = option, may_close = false;
  }
};

void add_verbs_of(const CLI::App& verb, Candidates& found) {
  for (const VerbGroup& verbs : verb_groups(verb))
    for (const CLI::App* one : verbs.verbs) found.words.push_back({one->get_name(), one->get_description()});
}

void add_options_of(const Line& line, Candidates& found) {
  for (const CLI::Option* option : line.verb->get_options()) {
    if (!option->nonpositional() || (line.used.count(option) && !takes_many(*option))) continue;
    for (const std::string& name : option->get_lnames())
      found.words.push_back({"--" + name, option->get_description()});
    if (option->get_lnames().empty())
      for (const std::string& name : option->get_snames())
        found.words.push_back({"-" + name, option->get_description()});
  }
}

// Returns the template on the line; empty if there is none.
std::string template_on(const Line& line) {
  const auto positionals = positionals_of(*line.verb);
  for (std::size_t i = 0; i < std::min(positionals.size(), line.arguments.size()); ++i)
    if (positionals[i]->get_type_name() == "TEMPLATE" || positionals[i]->get_type_name() == "KERNEL")
      return line.arguments[i];
  return "";
}

void add_argument(const CLI::App& program, const Line& line, const std::string& word, const Context& context,
                  Candidates& found) {
  if (line.arguments.empty()) add_verbs_of(*line.verb, found);
  if (line.verb->get_name() == "help") {
    const CLI::App* asked = &program;
    for (const std::string& one : line.arguments)
      if (const CLI::App* next = find_subverb(*asked, one)) asked = next;
    return add_verbs_of(*asked, found);
  }
  const auto positionals = positionals_of(*line.verb);
  if (positionals.empty()) return;
  const std::size_t place = std::min(line.arguments.size(), positionals.size() - 1);
  if (place == line.arguments.size() || takes_many(*positionals[place]))
    add_values({*positionals[place], *line.verb, template_on(line), word}, context, found);
}

}  // namespace

Candidates complete(const CLI::App& program, const std::vector<std::string>& words, const Context& context) {
  Candidates found;
  if (words.empty()) return found;
  Line line{&program};
  for (auto word = words.begin(); word + 1 != words.end(); ++word) line.take(*word);
  const std::string& typed = words.back();
  const bool option_typed = typed.starts_with('-') && (!line.open || line.may_close);
  const std::size_t equals = typed.find('=');
  const CLI::Option* assigned = option_typed && equals != std::string::npos ? find_option(*line.verb, typed) : nullptr;
  if (assigned) {  // --format=js
    add_values({*assigned, *line.verb, template_on(line), typed.substr(equals + 1)}, context, found);
    for (Candidate& one : found.words) one.word.insert(0, typed.substr(0, equals + 1));
  } else if (option_typed) {
    add_options_of(line, found);
  } else if (line.open) {
    add_values({*line.open, *line.verb, template_on(line), typed}, context, found);
  } else {
    add_argument(program, line, typed, context, found);
  }
  std::erase_if(found.words, [&](const Candidate& one) { return !one.word.starts_with(typed); });
  return found;
}

std::string lines_of(const Candidates& candidates) {
  std::string text;
  const auto line = [](const std::string& word) { return search::printable(word, search::Lines::escape); };
  for (const auto& [word, meaning] : candidates.words)
    text += line(word) + (meaning.empty() ? "" : '\t' + line(meaning)) + '\n';
  if (candidates.files) text += ":files\n";
  if (candidates.folders) text += ":folders\n";
  return text;
}

}  // namespace warptune::tuner::cli
