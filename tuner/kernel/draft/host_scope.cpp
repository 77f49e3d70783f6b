// Reads types and template arguments from the tokens of declarations and calls; host_calls.h finds the variables.
#include "tuner/kernel/draft/host_scope.h"

#include <algorithm>

#include "tuner/kernel/draft/host_calls.h"

namespace warptune::tuner::draft {

namespace {

// Returns the type of the declaration whose star is at `star`: `const double *a, *b`.
std::string declared_type(TokenSpan tokens, std::size_t star) {
  std::size_t begin = star;
  while (begin > 0 && !tokens[begin - 1].is(";") && !tokens[begin - 1].is("{") && !tokens[begin - 1].is("}") &&
         !tokens[begin - 1].is("("))
    --begin;
  // Parameters have a type each: … float *a, double *b.
  std::size_t end = star;
  const auto is_plain = [&](std::size_t at) {
    return tokens[at].kind == SourceToken::Kind::word || tokens[at].is("::");
  };
  if (star > begin && is_plain(star - 1) && !tokens[star - 1].is("const")) {
    begin = star - 1;
    while (begin > 0 && is_plain(begin - 1)) --begin;
  } else {
    end = begin;
    while (end < star && is_plain(end)) ++end;
  }
  std::vector<SourceToken> words;
  for (std::size_t at = begin; at < end; ++at)
    if (!tokens[at].is("const") && !tokens[at].is("static")) words.push_back(tokens[at]);
  return text_of_tokens(words);
}

}  // namespace

std::string pointed_to(const SourceItem& function, const std::string& name) {
  for (const TokenSpan tokens : {function.parameters, function.body})
    for (std::size_t at = 1; at < tokens.size(); ++at) {
      if (!tokens[at].is(name)) continue;
      std::size_t star = at - 1;
      while (star > 0 && (tokens[star].is("__restrict__") || tokens[star].is("const"))) --star;
      if (!tokens[star].is("*")) continue;
      if (std::string type = declared_type(tokens, star); element_of(type) || template_place(function, type))
        return type;
    }
  return "";
}

std::optional<std::size_t> template_place(const SourceItem& function, const std::string& name) {
  const auto parts = split_at_commas(function.template_parameters, true);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].size() > 1 && parts[i][1].is(name)) return i;
  return std::nullopt;
}

std::string template_argument(TokenSpan code, const std::string& function, std::size_t place) {
  for (std::size_t at = 0; at + 2 < code.size(); ++at) {
    if (!code[at].is(function) || !code[at + 1].is("<")) continue;
    std::size_t end = at + 2;
    while (end < code.size() && !code[end].is(">") && !code[end].is(";")) ++end;
    const auto parts = split_at_commas(code.subspan(at + 2, end - at - 2));
    if (place >= parts.size()) continue;
    if (std::string type = text_of_tokens(parts[place]); element_of(type)) return type;
  }
  return "";
}

HostScope read_host_scope(const SourceFacts& facts, const HostLaunch& launch) {
  HostScope scope = scope_at(facts, *launch.function, launch.place);
  for (const HostLaunch::Member& member : launch.members) {
    scope.values.insert_or_assign(member.written, CExpression::name(member.name));
    if (const auto value = parse_c(member.value)) scope.values.insert_or_assign(member.name, *value);
  }
  return scope;
}

}  // namespace warptune::tuner::draft
