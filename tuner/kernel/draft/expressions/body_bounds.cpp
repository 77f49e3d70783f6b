// Reads how the variables of a kernel's body begin, which bounds they stay below, and in which sums they stand.
#include <algorithm>
#include <array>

#include "tuner/kernel/draft/expressions/body_reader.h"
#include "tuner/kernel/draft/expressions/naming.h"

namespace warptune::tuner::draft {

namespace {
using Kind = CExpression::Kind;
}  // namespace

void BodyReader::read_definition(std::size_t at) {
  const TokenSpan value = until(at + 2, {";", ",", ")"});
  if (read_alias(body_[at].text, value)) return;
  if (const auto element = element_at(value)) result_.loaded.emplace(body_[at].text, element->first);
  // A warp's lanes begin side by side: j = starts[row] + lane.
  if (const auto element = element_or_holder(until_sign(value, "+"))) first_elements_.emplace(body_[at].text, *element);
  const auto expression = parse_c(value);
  // i = i + step says nothing about where i begins.
  if (expression && !names_in(*expression).contains(body_[at].text))
    result_.definitions.emplace(body_[at].text, *expression);
}

std::optional<std::pair<std::string, CExpression>> BodyReader::element_at(TokenSpan value) const {
  if (value.size() < 4 || !value[1].is("[") || closing(value, 1) + 1 != value.size()) return std::nullopt;
  const auto buffer = known(value[0].text);
  const auto index = buffer ? parse_c(value.subspan(2, value.size() - 3)) : std::nullopt;
  if (!index) return std::nullopt;
  return std::pair(buffer->buffer, *index);
}

void BodyReader::read_indices(std::size_t open) {
  for (const SourceToken& token : body_.subspan(open + 1, std::min(closing(body_, open), body_.size()) - open - 1)) {
    if (const auto buffer = known(token.text)) result_.indices.insert(buffer->buffer);
    if (const auto held = result_.loaded.find(token.text); held != result_.loaded.end())
      result_.indices.insert(held->second);
  }
}

void BodyReader::find_segments() {
  for (const auto& [variable, end] : last_elements_) {
    const auto begin = first_elements_.find(variable);
    if (begin == first_elements_.end() || begin->second.first != end.first) continue;
    const CExpression next = CExpression::binary("+", begin->second.second, CExpression::integer(1));
    const auto expected = names_in(next), found = names_in(end.second);
    if (expected == found && terms_of(end.second).size() == terms_of(next).size())
      result_.segments.insert({variable, {begin->second.first, begin->second.second}});
  }
}

void BodyReader::find_borders() {
  for (const auto& [variable, bounds] : result_.bounds) {
    const auto begin = result_.definitions.find(variable);
    if (begin == result_.definitions.end()) continue;
    const bool later = (begin->second.is_integer() && begin->second.value > 0) || is_radius(begin->second);
    const auto ends_earlier = [](const CExpression& bound) { return bound.is(Kind::binary, "-"); };
    if (later && std::ranges::any_of(bounds, ends_earlier)) result_.skips_first.insert(variable);
  }
}

TokenSpan BodyReader::until_sign(TokenSpan tokens, std::string_view sign) {
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].is(sign)) return tokens.subspan(0, at);
    if (tokens[at].is("(") || tokens[at].is("[")) at = closing(tokens, at);
  }
  return tokens;
}

std::optional<std::pair<std::string, CExpression>> BodyReader::element_or_holder(TokenSpan value) const {
  if (value.size() == 1)
    if (const auto held = first_elements_.find(value[0].text); held != first_elements_.end()) return held->second;
  return element_at(value);
}

bool BodyReader::leaves_where_true(std::size_t at) const {
  int depth = 0;
  for (; at < body_.size() && depth >= 0 && !is(at, ";") && !is(at, "{"); ++at) depth += is(at, "(") - is(at, ")");
  return depth < 0 && (is(at, "return") || (is(at, "{") && is(at + 1, "return")));
}

bool BodyReader::is_radius(const CExpression& bound) {
  if (bound.kind != Kind::name) return false;
  return bound.text == "r" || bound.text == "R" || use_of(bound.text, 0) == Use::radius;
}

void BodyReader::read_bound(std::size_t at, std::size_t sign) {
  const std::string name = text_of_tokens(body_.subspan(at, sign - at));
  std::optional<CExpression> offset;
  if (is(sign, "+") && !is(sign + 1, "+") && !is(sign + 1, "=")) {
    const TokenSpan added = until(sign + 1, {"<", ">", ";", ",", ")", "?", "="});
    offset = added.size() > 3 ? std::nullopt : parse_c(added);
    if (!offset) return;
    sign += 1 + added.size();
  }
  const bool below = is(sign, "<") && !is(sign + 1, "<"), above = is(sign, ">") && !is(sign + 1, ">");
  if (!below && !above) return;
  static constexpr std::array<std::string_view, 12> before = {"(", "&&", "||",     ";", "!", "?",
                                                              ",", "{",  "return", "=", "}", ":"};
  if (at > 0 && std::ranges::find(before, std::string_view(body_[at - 1].text)) == before.end()) return;
  const bool equal = is(sign + 1, "=");
  const TokenSpan written = until(sign + (equal ? 2 : 1), {"&&", "||", ")", ";", "?", ",", "{"});
  if (const auto element = element_or_holder(written); element && below) last_elements_.emplace(name, *element);
  const auto bound = parse_c(written);
  if (!bound) return;
  const bool nothing = bound->is_integer() && (equal ? bound->value < 0 : bound->value <= 0);
  if (below && !nothing && leaves_where_true(at)) {
    result_.skips_first.insert(name);  // if (x < 1 || x < RADIUS || …) return;
    return;
  }
  if (above && (bound->is_integer() || (is_radius(*bound) && !leaves_where_true(at)))) {
    if (!bound->is_integer() || bound->value > 0 || !equal) result_.skips_first.insert(name);
    return;
  }
  if (bound->is_integer() && bound->value <= 0) return;  // no upper bound: i < 0 ? 0 : x[i]
  const bool inclusive = (below && equal) || (above && !equal);
  if (inclusive && !offset) result_.inclusive.emplace(name, *bound);
  CExpression most = inclusive ? CExpression::binary("+", *bound, CExpression::integer(1)) : *bound;
  if (offset) most = CExpression::binary("-", most, *offset);
  result_.bounds[name].push_back(simplified(most));
}

void BodyReader::read_sum(std::size_t at) {
  const std::string& name = body_[at].text;
  if (is(at + 1, "+") && is(at + 2, "=")) {
    if (const auto step = parse_c(until(at + 3, {";", ",", ")"}))) result_.steps.emplace(name, *step);
    return;
  }
  const auto word = [&](std::size_t index) {
    return index < body_.size() && body_[index].kind == SourceToken::Kind::word;
  };
  for (const char* sign : {"+", "*"}) {
    const auto add = [&](TokenSpan other) {
      (*sign == '+' ? result_.added : result_.multiplied)[name].insert(text_of_tokens(other));
    };
    if (is(at + 1, sign) && word(at + 2)) add(body_.subspan(at + 2, is(at + 3, ".") && word(at + 4) ? 3 : 1));
    if (at < 2 || !is(at - 1, sign) || !word(at - 2)) continue;
    const bool member = at > 3 && is(at - 3, ".") && word(at - 4);
    add(member ? body_.subspan(at - 4, 3) : body_.subspan(at - 2, 1));
  }
}

}  // namespace warptune::tuner::draft
