// Makes CLI11's checks and footers carry the words and examples of options.h.
#include "tuner/program/cli/grammar/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "search/spelling.h"

namespace warptune::tuner::cli {

CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](const std::string& text) {
        if (std::ranges::find(words, text) != words.end()) return std::string();
        return fmt::format("there is no '{}'{}; expected one of {}", text, search::did_you_mean(text, words),
                           fmt::join(words, ", "));
      },
      fmt::format("{{{}}}", fmt::join(words, ",")));
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  // CLI11 gives a check's description only as a part of the type's name, as "TEXT:{a,b}".
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

void add_examples(CLI::App& verb, const std::vector<Example>& examples) {
  std::string text = "Examples:";
  for (const Example& example : examples) text += fmt::format("\n  # {}\n  {}", example.what, example.command);
  // CLI11 gives a verb below another one the footer of that one, which is not repeated here.
  const bool inherited = verb.get_parent() && verb.get_parent()->get_footer() == verb.get_footer();
  const std::string before = inherited ? "" : verb.get_footer();
  verb.footer(before.empty() ? text : before + "\n\n" + text);
}

}  // namespace warptune::tuner::cli
