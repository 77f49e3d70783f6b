// Parses the lists of strategies that comparison.h describes.
#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "tuner/session/compare/comparison.h"

namespace warptune::tuner::compare {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

search::Value read_value(std::string_view text) {
  std::int64_t integer = 0;
  double number = 0;
  if (read(text, integer)) return integer;
  if (read(text, number)) return number;
  if (text == "true" || text == "false") return text == "true";
  return std::string(text);
}

StrategyChoice parse_strategy(std::string_view text) {
  const auto parts = split(text, ':');
  StrategyChoice choice{std::string(text), std::string(parts[0]), {}};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = parts[i].find('=');
    if (equals == 0 || equals == std::string_view::npos)
      throw std::invalid_argument(
          fmt::format("strategy '{}': '{}' is no hyperparameter; write NAME:KEY=VALUE", text, parts[i]));
    choice.options.emplace_back(parts[i].substr(0, equals), read_value(parts[i].substr(equals + 1)));
  }
  return choice;
}

}  // namespace

std::vector<StrategyChoice> parse_strategies(std::string_view list, const std::vector<std::string>& all) {
  std::vector<StrategyChoice> choices;
  for (std::string_view text : split(list, ',')) {
    if (text.empty()) throw std::invalid_argument(fmt::format("strategies '{}': an empty name", list));
    if (text == "all")
      for (const std::string& name : all) choices.push_back({name, name, {}});
    else
      choices.push_back(parse_strategy(text));
  }
  return choices;
}

}  // namespace warptune::tuner::compare
