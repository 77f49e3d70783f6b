// Recognises exported files by the words of their first lines and by their first condition.
#include "tuner/device/compile/tuned_file.h"

#include <algorithm>

#include "tuner/device/compile/source_tokens.h"

namespace warptune::tuner {

namespace {

constexpr std::string_view directive = "#if defined(";

// Returns whether all names after `defined` are given. The first of them is Warptune's own.
bool are_given(std::string_view condition, const std::set<std::string>& given) {
  const std::vector<SourceToken> tokens = source_tokens(condition);
  return std::ranges::all_of(tokens, [&](const SourceToken& token) {
    const bool is_name = token.kind == SourceToken::Kind::word && !token.is("if") && !token.is("defined");
    return !is_name || token.text == tuning_macro || given.contains(token.text);
  });
}

}  // namespace

std::string tuning_condition(const std::vector<std::string>& parameters) {
  std::string text = std::string(directive) + std::string(tuning_macro) + ")";
  for (const std::string& parameter : parameters) text += " && defined(" + parameter + ")";
  return text;
}

std::string_view text_when_tuning(std::string_view text, const std::set<std::string>& given) {
  const auto begin = text.find(tuning_condition({}) + " && ");
  if (begin == text.npos || text.substr(0, begin).find("written by warptune") == text.npos) return text;
  const auto line_end = text.find('\n', begin), end = text.find("\n#el", begin);
  if (end == text.npos || !are_given(text.substr(begin, line_end - begin), given)) return text;
  return text.substr(line_end, end - line_end);
}

}  // namespace warptune::tuner
