// Looks at each `if` of a body, and finds where its statement or its block ends.
#include "tuner/kernel/draft/data_conditions.h"

#include <algorithm>

#include "tuner/kernel/draft/statements.h"

namespace warptune::tuner::draft {

namespace {

bool leaves(TokenSpan body, std::size_t at) {
  if (at < body.size() && body[at].is("{")) ++at;
  return at < body.size() && (body[at].is("return") || body[at].is("continue"));
}

// Returns the end of the block that this place is in.
std::size_t end_of_block(TokenSpan body, std::size_t at) {
  for (; at < body.size() && !body[at].is("}"); ++at)
    if (body[at].is("{")) at = closing(body, at);
  return std::min(at, body.size());
}

}  // namespace

Places data_conditions(TokenSpan body, const std::function<bool(const SourceToken&)>& is_data) {
  Places places;
  for (std::size_t at = 0; at + 1 < body.size(); ++at) {
    if (!body[at].is("if") || !body[at + 1].is("(")) continue;
    const std::size_t close = closing(body, at + 1);
    if (close >= body.size() || std::ranges::none_of(body.subspan(at + 2, close - at - 2), is_data)) continue;
    const std::size_t end = behind_statement(body, close + 1);
    const bool has_else = behind_statement(body, at) > end;
    if (leaves(body, close + 1))
      places.emplace_back(end, end_of_block(body, end));
    else if (!has_else)
      places.emplace_back(close + 1, end);
  }
  return places;
}

}  // namespace warptune::tuner::draft
