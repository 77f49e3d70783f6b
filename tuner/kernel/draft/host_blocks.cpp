// Finds conditions, loops and assignments by their keywords and signs in the tokens.
#include "tuner/kernel/draft/host_blocks.h"

#include <algorithm>

#include "tuner/kernel/draft/statements.h"

namespace warptune::tuner::draft {

namespace {

bool is_at(TokenSpan tokens, std::size_t at, std::string_view text) {
  return at < tokens.size() && tokens[at].is(text);
}

}  // namespace

std::vector<ControlledCode> controlled_code(TokenSpan body) {
  std::vector<ControlledCode> result;
  for (std::size_t at = 0; at < body.size(); ++at) {
    const bool is_loop = body[at].is("for") || body[at].is("while");
    ControlledCode code{.is_loop = is_loop};
    if (body[at].is("else") || body[at].is("do")) {
      code.is_loop = body[at].is("do");
      code.header = code.begin = at + 1;
    } else if (is_loop || body[at].is("if") || body[at].is("switch")) {
      const std::size_t open = is_at(body, at + 1, "constexpr") ? at + 2 : at + 1;
      const std::size_t close = is_at(body, open, "(") ? closing(body, open) : body.size();
      if (close >= body.size()) continue;
      code.header = open + 1;
      code.begin = close + 1;
      if (body[at].is("if")) code.condition = body.subspan(open + 1, close - open - 1);
    } else {
      continue;
    }
    code.end = std::min(behind_statement(body, code.begin), body.size());
    result.push_back(code);
  }
  return result;
}

bool is_step(TokenSpan tokens, std::size_t at) {
  return (is_at(tokens, at, "+") && is_at(tokens, at + 1, "+")) ||
         (is_at(tokens, at, "-") && is_at(tokens, at + 1, "-"));
}

bool is_compound_assignment(TokenSpan tokens, std::size_t at) {
  for (const char* sign : {"+", "-", "*", "/", "%", "&", "|", "^"})
    if (is_at(tokens, at, sign) && is_at(tokens, at + 1, "=")) return true;
  for (const char* sign : {"<", ">"})
    if (is_at(tokens, at, sign) && is_at(tokens, at + 1, sign) && is_at(tokens, at + 2, "=")) return true;
  return false;
}

std::set<std::string> assigned_names(TokenSpan tokens) {
  std::set<std::string> names;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].kind != SourceToken::Kind::word) continue;
    const bool is_stepped_before = at > 1 && is_step(tokens, at - 2);
    if (!is_at(tokens, at + 1, "=") && !is_compound_assignment(tokens, at + 1) && !is_step(tokens, at + 1) &&
        !is_stepped_before)
      continue;
    const bool is_member = at > 1 && tokens[at - 1].is(".");
    names.insert((is_member ? tokens[at - 2].text + "." : "") + tokens[at].text);
  }
  return names;
}

}  // namespace warptune::tuner::draft
