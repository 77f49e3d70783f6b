// Makes the text of --help from CLI11's options, and sentences from the errors of its parser.
#include "tuner/program/cli/grammar/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>

#include "search/plain_text.h"
#include "search/spelling.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner::cli {

namespace {

constexpr std::size_t longest_choice = 24;  // in characters of a|b|c; longer choices follow the description

bool is_flag(const CLI::Option& option) {
  return option.get_type_size() == 0 || option.get_expected_max() == 0;
}

bool is_repeatable(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

std::string joined_choices(const CLI::Option& option) {
  return fmt::format("{}", fmt::join(choices_of(option), "|"));
}

bool shows_choices(const CLI::Option& option) {
  const std::string choices = joined_choices(option);
  return !choices.empty() && choices.size() <= longest_choice;
}

// Returns the type that help shows. CLI11's names of types are those of C++, and its text behind the colon describes
// checks.
std::string type_of(const CLI::Option& option) {
  if (shows_choices(option)) return joined_choices(option);
  static const std::map<std::string, std::string> plain = {{"UINT", "N"}, {"INT", "N"}, {"FLOAT", "NUMBER"}};
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  std::string name = type.substr(0, colon);
  if (name == "TEXT" && colon != std::string::npos && type.compare(colon + 1, 4, "FILE") == 0) return "FILE";
  if (name == "TEXT" && !choices_of(option).empty()) return "NAME";
  const auto known = plain.find(name);
  return known == plain.end() ? name : known->second;
}

// Returns what the user sees in the place of a positional: its type where it has one of its own, else its name.
std::string place_of(const CLI::Option& option) {
  const std::string type = type_of(option);
  const std::string place =
      type.empty() || type == "TEXT" || type == "NAME" ? search::upper_case(option.get_name(true)) : type;
  return place + (is_repeatable(option) ? " ..." : "");
}

std::size_t rank_of(const std::string& heading) {
  static const std::vector<std::string> order = {group::problem,   group::budget,   group::search, group::measuring,
                                                 group::compiling, group::sessions, group::list};
  const auto found = std::ranges::find(order, heading);
  if (found != order.end()) return static_cast<std::size_t>(found - order.begin());
  return heading == group::output ? order.size() + 2 : order.size() + 1;
}

std::vector<std::string> names_in(const CLI::App& program) {
  std::vector<std::string> names;
  for (const VerbGroup& verbs : verb_groups(program))
    for (const CLI::App* verb : verbs.verbs) names.push_back(verb->get_name());
  return names;
}

std::string verbs_text(const CLI::App& program, std::size_t width) {
  std::string text;
  for (const VerbGroup& verbs : verb_groups(program)) {
    Entries entries;
    for (const CLI::App* verb : verbs.verbs) entries.emplace_back(verb->get_name(), verb->get_description());
    text += fmt::format("\n{}:\n{}", verbs.heading, two_columns(entries, width));
  }
  return text;
}

std::string options_text(const CLI::App& verb, std::size_t width) {
  Entries all;  // the entries of all groups, one group after the other
  std::vector<std::pair<std::string, std::size_t>> headings;
  for (const OptionGroup& options : option_groups(verb)) {
    headings.emplace_back(options.heading, options.options.size());
    for (const CLI::Option* option : options.options) all.emplace_back(name_and_type(*option), meaning(*option));
  }
  std::string text;
  std::size_t begin = 0;
  for (const auto& [heading, count] : headings) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    text += fmt::format("\n{}:\n{}", heading,
                        two_columns(Entries(first, first + static_cast<std::ptrdiff_t>(count)), width));
    begin += count;
  }
  return text;
}

// Returns what a verb says at the end of its help. Examples are indented, and are never wrapped.
std::string footer_text(const CLI::App& verb, std::size_t width) {
  std::string text;
  std::istringstream lines(verb.get_footer());
  for (std::string line; std::getline(lines, line);)
    text += (line.starts_with(' ') ? line : wrapped_text(line, width, 0)) + '\n';
  return text.empty() ? text : '\n' + text;
}

// Returns the deepest verb of the command line, and its name as the user typed it.
std::pair<const CLI::App*, std::string> parsed_verb(const CLI::App& program) {
  const CLI::App* verb = &program;
  std::string name = program.get_name();
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    name += ' ' + verb->get_name();
  }
  return {verb, name};
}

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// Returns " (did you mean --size N=100 or --param N=100?)" if `word` is a value without its option; else empty.
std::string with_option(const CLI::App& verb, const std::string& word) {
  const std::size_t sign = word.find('=');
  if (sign == 0 || sign == std::string::npos) return "";
  std::vector<std::string> commands;
  for (const char* option : {"--size", "--param"})
    if (verb.get_option_no_throw(option)) commands.push_back(fmt::format("{} {}", option, word));
  return commands.empty() ? "" : fmt::format(" (did you mean {}?)", fmt::join(commands, " or "));
}

// Returns " (did you mean --budget 5m?)" if `word` is the unit of a time that was given in two words; else empty.
std::string with_unit(const CLI::App& verb, const std::string& word) {
  static const std::map<std::string_view, char> units = {
      {"s", 's'},    {"sec", 's'},  {"second", 's'},  {"m", 'm'},    {"min", 'm'},     {"minute", 'm'}, {"h", 'h'},
      {"hour", 'h'}, {"secs", 's'}, {"seconds", 's'}, {"mins", 'm'}, {"minutes", 'm'}, {"hours", 'h'}};
  const auto unit = units.find(word);
  if (unit == units.end()) return "";
  for (const CLI::Option* option : verb.get_options())
    if ((type_of(*option) == "LIMIT" || type_of(*option) == "TIME") && option->count() > 0)
      if (const std::string& number = option->results().back(); whole_number(number))
        return fmt::format(" (did you mean {} {}{}?)", option->get_name(), number, unit->second);
  return "";
}

std::string unexpected(const CLI::App& program, const CLI::App& verb, const std::string& name, std::string word) {
  const std::string hint = fmt::format("`warptune help{}`", name.substr(program.get_name().size()));
  if (word.starts_with('-')) {
    word.resize(std::min(word.find('='), word.size()));
    if (verb.get_option_no_throw(word))  // it stood before the verb, where CLI11 looks for the program's options
      return fmt::format("options follow the verb: {} {} …; {} says more", name, word, hint);
    return fmt::format("{} has no option {}{}; {} lists those it has", name, word,
                       search::did_you_mean(word, option_names(verb)), hint);
  }
  if (!names_in(verb).empty())
    return fmt::format("{} has no verb '{}'{}; {} lists those it has", name, word,
                       search::did_you_mean(word, names_in(verb)), hint);
  return fmt::format("{} does not expect '{}'{}; {} says what it takes", name, word,
                     with_option(verb, word) + with_unit(verb, word), hint);
}

}  // namespace

std::string name_and_type(const CLI::Option& option) {
  if (option.get_positional()) return place_of(option);
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (!is_flag(option)) text += ' ' + type_of(option) + (is_repeatable(option) ? " ..." : "");
  return text;
}

std::string meaning(const CLI::Option& option) {
  std::string text = option.get_description();
  if (const auto choices = choices_of(option); !choices.empty() && !shows_choices(option))
    text += fmt::format("{}{}", text.empty() ? "" : ": ", fmt::join(choices, ", "));
  if (option.get_required() && option.nonpositional()) text += " (required)";
  if (!is_flag(option) && !option.get_default_str().empty()) text += fmt::format(" [{}]", option.get_default_str());
  return text;
}

std::string usage_of(const CLI::App& verb, const std::string& name) {
  std::string text = name;
  for (const CLI::Option* option : verb.get_options([](const CLI::Option* one) { return one->get_positional(); }))
    text += option->get_required() ? ' ' + place_of(*option) : " [" + place_of(*option) + ']';
  if (!verb_groups(verb).empty()) text += verb.get_require_subcommand_min() > 0 ? " VERB" : " [VERB]";
  const auto options =
      verb.get_options([&](const CLI::Option* one) { return one->nonpositional() && one != verb.get_help_ptr(); });
  return options.empty() ? text : text + " [OPTIONS]";
}

std::vector<OptionGroup> option_groups(const CLI::App& verb) {
  std::vector<OptionGroup> groups;
  OptionGroup arguments{"Arguments", verb.get_options([](const CLI::Option* one) { return one->get_positional(); })};
  if (!arguments.options.empty()) groups.push_back(std::move(arguments));
  std::vector<std::string> headings = verb.get_groups();
  std::ranges::stable_sort(headings, {}, rank_of);
  for (const std::string& heading : headings) {
    if (heading.empty()) continue;
    OptionGroup one{heading, verb.get_options([&](const CLI::Option* option) {
                      return option->get_group() == heading && option->nonpositional();
                    })};
    if (!one.options.empty()) groups.push_back(std::move(one));
  }
  return groups;
}

std::vector<VerbGroup> verb_groups(const CLI::App& program) {
  std::vector<VerbGroup> groups;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string heading = verb->get_group() == "Subcommands" ? "Verbs" : verb->get_group();
    if (heading.empty()) continue;
    auto found = std::ranges::find(groups, heading, &VerbGroup::heading);
    if (found == groups.end()) found = groups.insert(groups.end(), VerbGroup{heading, {}});
    found->verbs.push_back(verb);
  }
  return groups;
}

CLI::App& find_verb(CLI::App& program, const std::vector<std::string>& words) {
  CLI::App* verb = &program;
  for (const std::string& word : words) {
    const auto named = verb->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (named.empty())
      throw std::invalid_argument(fmt::format("{} has no verb '{}'{}; `warptune help` lists the verbs",
                                              verb->get_name(), word, search::did_you_mean(word, names_in(*verb))));
    verb = named.front();
  }
  return *verb;
}

std::string HelpFormatter::make_help(const CLI::App* verb, std::string name, CLI::AppFormatMode) const {
  const std::size_t width = help_width();
  std::string text = wrapped_text(verb->get_description() + '.', width, 0) + "\n\n";
  text += wrapped_text("Usage: " + usage_of(*verb, name), width, 7) + '\n';
  text += verbs_text(*verb, width) + options_text(*verb, width);
  const bool defaults = std::ranges::any_of(verb->get_options(), [](const CLI::Option* option) {
    return !is_flag(*option) && !option->get_default_str().empty();
  });
  if (defaults) text += "\n[ ] shows the default; options with ... may be repeated.\n";
  return text + footer_text(*verb, width);
}

std::string first_steps() {
  return "Warptune finds the fastest configuration of a GPU kernel. First steps:\n\n"
         "  warptune templates                        the kernels that come with it\n"
         "  warptune tune vector_add --budget 30s     tune one, on the best device there is\n"
         "  warptune best                             what was found\n"
         "  warptune help                             all verbs; `warptune help tune` explains one\n";
}

namespace {

// Returns what is missing: "expected FILE: the file with the kernel" for the first argument that is not there, the
// names of the verbs where one is missing, else what the parser says.
std::string missing(const CLI::App& verb, const CLI::ParseError& error) {
  const auto places = verb.get_options([](const CLI::Option* option) {
    return option->get_positional() && option->get_required() && option->count() == 0;
  });
  if (places.empty() && verb.get_require_subcommand_min() > 0 && verb.get_subcommands().empty())
    return fmt::format("expected one of {}", fmt::join(names_in(verb), ", "));
  if (places.empty()) return error.what();
  return fmt::format("expected {}: {}", place_of(*places.front()), meaning(*places.front()));
}

// Returns the option that a message of the parser is about, as in "--budget: …"; null where it names none.
const CLI::Option* option_in(const CLI::App& verb, std::string message) {
  const std::string conversion = "Could not convert: ";
  if (message.starts_with(conversion)) message.erase(0, conversion.size());
  message.resize(std::min(message.find_first_of(": "), message.size()));
  const CLI::Option* option = verb.get_option_no_throw(message);
  return option ? option : verb.get_option_no_throw("--" + message);  // a flag's name stands there without its dashes
}

// Returns "--host needs a value: ADDRESS", or for an argument "SESSION needs a value: a session's number or name".
std::string value_wanted(const CLI::Option& option) {
  std::string place = place_of(option);
  place.resize(std::min(place.find(' '), place.size()));  // without the "..." of one that may be repeated
  const bool explained = option.get_positional() || type_of(option) == "TEXT";
  return fmt::format("{} needs a value: {}", option.get_positional() ? place : option.get_name(),
                     explained ? meaning(option) : type_of(option));
}

// Says how many values an option takes, of which there were too few or too many.
std::string wrong_number(const CLI::Option& option) {
  const std::string name = option.get_name();
  if (is_flag(option)) return name + " takes no value";
  if (option.count() > 1) {
    const auto is_list = [](const std::string& value) { return value.find('=') != std::string::npos; };
    const bool lists = std::ranges::all_of(option.results(), is_list);
    return fmt::format("{} takes one value, and was given {}: {}{}", name, option.count(),
                       fmt::join(option.results(), ", "),
                       lists ? fmt::format("; write {} {}", name, fmt::join(option.results(), ",")) : "");
  }
  return value_wanted(option);
}

// Rewords the message of a check that failed. The wording of CLI11's checks of files cannot be set.
std::string wrong_value(const CLI::Option* option, std::string message) {
  if (option && option->get_positional()) message.erase(0, option->get_name().size() + 2);
  for (const auto& [theirs, before, behind] :
       {std::tuple("File does not exist: ", "there is no file ", ""),
        std::tuple("File is actually a directory: ", "", " is a folder, and a file is expected")})
    if (const std::size_t at = message.find(theirs); at != std::string::npos)
      return message.replace(at, std::string_view(theirs).size(), before) + behind;
  return message;
}

// Rewords "A excludes B" of options that contradict each other, or "A requires B" of one that needs the other.
std::string wrong_company(std::string message, std::string_view theirs, std::string_view between,
                          std::string_view end) {
  const std::size_t at = message.find(theirs);
  if (at == std::string::npos) return message;
  return message.replace(at, theirs.size(), between) += end;
}

// Says which options contradict each other. A trial's number needs no session beside it, since it names one trial of
// the whole store.
std::string contradiction(const CLI::App& verb, const std::string& message) {
  if (message == "session excludes --trial" || message == "--trial excludes session")
    return fmt::format("a trial's number is enough: warptune {} --trial {}", verb.get_name(),
                       fmt::join(verb.get_option("--trial")->results(), " "));
  return wrong_company(message, " excludes ", " and ", " contradict each other");
}

// Returns in plain words what the parser says in its own words and types.
std::string plain_words(const CLI::App& verb, const CLI::ParseError& error) {
  const std::string message = error.what();
  const CLI::Option* option = option_in(verb, message);
  if (option && dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return wrong_number(*option);
  if (option && dynamic_cast<const CLI::ConversionError*>(&error))
    return is_flag(*option) ? wrong_number(*option)
                            : fmt::format("{}: '{}' is no {}", option->get_name(), fmt::join(option->results(), ", "),
                                          type_of(*option));
  if (option && message.ends_with(no_value)) return value_wanted(*option);
  if (dynamic_cast<const CLI::ValidationError*>(&error)) return wrong_value(option, message);
  if (dynamic_cast<const CLI::ExcludesError*>(&error)) return contradiction(verb, message);
  if (dynamic_cast<const CLI::RequiresError*>(&error)) return wrong_company(message, " requires ", " needs ", "");
  return message;
}

// Returns " (template.toml lies here: `warptune tune .`)" where a template is asked for and the working folder has one;
// else empty.
std::string template_here(const CLI::App& verb, const std::string& name) {
  const auto places = verb.get_options([](const CLI::Option* option) {
    return option->get_positional() && option->count() == 0 && place_of(*option).starts_with("TEMPLATE");
  });
  std::error_code error;
  if (places.empty() || !std::filesystem::is_regular_file("template.toml", error)) return "";
  return fmt::format(" (template.toml lies here: `{} .`)", name);
}

}  // namespace

std::string explanation(const CLI::App& program, const CLI::ParseError& error) {
  const auto [verb, name] = parsed_verb(program);
  const std::vector<std::string> words = program.remaining(true);
  const bool lacks = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!words.empty() && (lacks || dynamic_cast<const CLI::ExtrasError*>(&error))) {
    // A mistyped option is reported before the value that was meant for it.
    const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
    return unexpected(program, *verb, name, option == words.end() ? words.front() : *option);
  }
  return fmt::format("{}: {}{}; `warptune help{}` says more", name,
                     lacks ? missing(*verb, error) : plain_words(*verb, error), lacks ? template_here(*verb, name) : "",
                     name.substr(program.get_name().size()));
}

}  // namespace warptune::tuner::cli
