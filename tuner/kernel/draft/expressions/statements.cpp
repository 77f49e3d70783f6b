// Follows brackets and nested statements by their tokens.
#include "tuner/kernel/draft/expressions/statements.h"

#include <algorithm>

namespace warptune::tuner::draft {

TokenSpan tokens_until(TokenSpan body, std::size_t at, std::initializer_list<std::string_view> signs) {
  const std::size_t begin = std::min(at, body.size());
  std::size_t end = begin;
  for (; end < body.size(); ++end) {
    if (std::ranges::any_of(signs, [&](std::string_view sign) { return body[end].is(sign); })) break;
    if (body[end].is("(") || body[end].is("[") || body[end].is("{")) end = closing(body, end);
  }
  return body.subspan(begin, std::min(end, body.size()) - begin);
}

std::size_t behind_statement(TokenSpan body, std::size_t at, int depth) {
  if (at >= body.size() || depth == 0) return body.size();
  const auto is = [&](std::size_t place, std::string_view text) { return place < body.size() && body[place].is(text); };
  if (is(at, "{")) return closing(body, at) + 1;
  if (is(at, "do")) return behind_statement(body, behind_statement(body, at + 1, depth - 1), depth - 1);
  if ((is(at, "for") || is(at, "while") || is(at, "if")) && is(at + 1, "(")) {
    const std::size_t end = behind_statement(body, closing(body, at + 1) + 1, depth - 1);
    return is(at, "if") && is(end, "else") ? behind_statement(body, end + 1, depth - 1) : end;
  }
  return at + tokens_until(body, at, {";"}).size() + 1;
}

}  // namespace warptune::tuner::draft
