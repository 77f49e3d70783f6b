// Understands the words before the cursor as far as possible, and lists what fits behind them.
#include "tuner/program/cli/start/complete.h"

#include <algorithm>
#include <set>

#include "search/plain_text.h"
#include "tuner/program/cli/grammar/help.h"
#include "tuner/program/cli/start/complete_values.h"

namespace warptune::tuner::cli {

namespace {

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
