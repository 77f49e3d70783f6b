// Finds declarations by the words that their statements begin with.
#include "tuner/kernel/draft/declared_names.h"

#include <string_view>

#include "tuner/kernel/draft/source_facts.h"

namespace warptune::tuner::draft {

namespace {

bool is(TokenSpan body, std::size_t at, std::string_view text) {
  return at < body.size() && body[at].is(text);
}

// Returns the beginning of the statement: the place behind `;`, a brace, or the bracket of `for (`.
std::size_t begin_of_statement(TokenSpan body, std::size_t at) {
  while (at > 0 && !is(body, at - 1, ";") && !is(body, at - 1, "{") && !is(body, at - 1, "}") && !is(body, at - 1, "("))
    --at;
  return at;
}

// Returns whether the statement begins with a type, as in int n, float* p and unsigned k, and not with a word that
// begins another statement.
bool begins_with_type(TokenSpan statement) {
  static const std::set<std::string> others = {"return", "else", "do", "case", "goto", "delete", "throw"};
  return statement.size() > 1 && statement[0].kind == SourceToken::Kind::word && !others.contains(statement[0].text) &&
         (statement[1].kind == SourceToken::Kind::word || statement[1].is("*") || statement[1].is("&") ||
          statement[1].is("::"));
}

// Returns whether a name is declared here. That holds for the name of int n = 1 or float *p and for the next one behind
// a comma, but not for names that a value is made of.
bool is_declared(TokenSpan body, std::size_t at) {
  const bool ends = is(body, at + 1, "=") || is(body, at + 1, ";") || is(body, at + 1, "[") || is(body, at + 1, ",") ||
                    is(body, at + 1, "{") || is(body, at + 1, ":") || is(body, at + 1, "(");
  const std::size_t begin = begin_of_statement(body, at);
  if (!ends || begin == at || !begins_with_type(body.subspan(begin, at - begin + 1))) return false;
  if (begin > 0 && is(body, begin - 1, "(") && !(begin > 1 && is(body, begin - 2, "for"))) return false;
  if (is(body, at - 1, ",")) return true;
  if (body[at - 1].kind != SourceToken::Kind::word && !is(body, at - 1, "*") && !is(body, at - 1, "&") &&
      !is(body, at - 1, ">"))
    return false;
  for (std::size_t before = begin; before < at; ++before)
    if (is(body, before, "=")) return false;
  return true;
}

}  // namespace

std::set<std::string> declared_names(TokenSpan parameters, TokenSpan body) {
  std::set<std::string> names, seen;
  for (const FunctionParameter& parameter : read_parameters(parameters)) names.insert(parameter.name);
  for (std::size_t at = 0; at < body.size(); ++at)
    if (body[at].kind == SourceToken::Kind::word && seen.insert(body[at].text).second && is_declared(body, at))
      names.insert(body[at].text);
  return names;
}

}  // namespace warptune::tuner::draft
