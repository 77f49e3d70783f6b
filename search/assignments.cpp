// Splits texts of assignments in one pass that counts the open brackets.
#include "search/assignments.h"

#include <algorithm>
#include <cctype>

namespace warptune::search {

namespace {

// Returns whether "NAME=" stands at `at`, after any blanks.
bool begins_assignment(std::string_view text, std::size_t at) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  at = std::min(text.find_first_not_of(' ', at), text.size());
  if (at == text.size() || !is_letter(text[at])) return false;
  while (at < text.size() && (is_letter(text[at]) || std::isdigit(static_cast<unsigned char>(text[at])))) ++at;
  return at < text.size() && text[at] == '=' && text.substr(at, 2) != "==";
}

}  // namespace

std::vector<std::string> split_assignments(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  const auto take = [&](std::size_t end) {
    begin = std::min(text.find_first_not_of(' ', begin), end);
    parts.emplace_back(text.substr(begin, end - begin));
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    const bool last = at + 1 == text.size();
    if (c != ',' || !(last || (depth == 0 && begins_assignment(text, at + 1)))) continue;
    take(at);
    begin = at + 1;
  }
  if (begin < text.size()) take(text.size());
  return parts;
}

}  // namespace warptune::search
