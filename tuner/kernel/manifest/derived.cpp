// Replaces names token by token, without parsing the expressions.
#include "tuner/kernel/manifest/derived.h"

#include <algorithm>
#include <cctype>

namespace warptune::tuner {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Returns the end of the token that begins at `begin`: a quoted string, a word or number, or a single character.
std::size_t end_of_token(std::string_view text, std::size_t begin) {
  if (text[begin] == '\'' || text[begin] == '"') {
    const std::size_t close = text.find(text[begin], begin + 1);
    return close == std::string_view::npos ? text.size() : close + 1;
  }
  std::size_t end = begin + 1;
  if (is_word(text[begin]))
    while (end < text.size() && is_word(text[end])) ++end;
  return end;
}

bool is_call(std::string_view text, std::size_t end) {
  const std::size_t next = text.find_first_not_of(' ', end);
  return next != std::string_view::npos && text[next] == '(';
}

}  // namespace

std::string replace_names(std::string_view text, const std::function<const std::string*(std::string_view)>& find) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size() && result.size() <= DerivedExpressions::most_length;) {
    const std::size_t end = end_of_token(text, begin);
    const std::string_view token = text.substr(begin, end - begin);
    const std::string* replacement = is_call(text, end) ? nullptr : find(token);
    result += replacement ? std::string_view(*replacement) : token;
    begin = end;
  }
  return result;
}

bool DerivedExpressions::add(std::string name, std::string_view text) {
  std::string expanded = expand(text);
  if (expanded.size() > most_length) return false;
  texts_.emplace_back(std::move(name), "(" + expanded + ")");
  return true;
}

std::string DerivedExpressions::expand(std::string_view text) const {
  return replace_names(text, [this](std::string_view name) { return find(name); });
}

const std::string* DerivedExpressions::find(std::string_view name) const {
  const auto found = std::ranges::find(texts_, name, &std::pair<std::string, std::string>::first);
  return found == texts_.end() ? nullptr : &found->second;
}

}  // namespace warptune::tuner
