// Tells types from names by the words around them.
#include "tuner/kernel/draft/expressions/declarations.h"

#include <algorithm>
#include <string_view>

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

FunctionParameter read_parameter(TokenSpan tokens) {
  FunctionParameter parameter;
  std::vector<SourceToken> words;
  for (std::size_t at = 0; at < tokens.size() && !tokens[at].is("="); ++at) {
    const SourceToken& token = tokens[at];
    if (token.is("*") || token.is("&")) {
      ++parameter.pointers;
    } else if (token.is("[")) {
      ++parameter.pointers;  // float a[], float a[][8], float (*a)[8]
      const std::size_t first = !words.empty() && words.back().is(")") ? at : closing(tokens, at) + 1;
      if (first < tokens.size()) parameter.extents = read_extents(tokens.subspan(first - 1));
      break;
    } else if (token.is("const")) {
      parameter.is_const |= parameter.pointers == 0;
    } else if (!is_qualifier(token)) {
      words.push_back(token);
    }
  }
  // The name stands within brackets in float (*a)[8] and void (*f)(int).
  const auto close = std::ranges::find_if(words, [](const SourceToken& word) { return word.is(")"); });
  if (close != words.end() && close - words.begin() > 2 && (close - 2)->is("(")) {
    parameter.name = (close - 1)->text;
    parameter.pointers = 1;
    words.erase(close - 2, close + 1);
  } else if (words.size() > 1 && words.back().kind == SourceToken::Kind::word) {
    parameter.name = words.back().text;
    words.pop_back();
  }
  parameter.type = text_of_tokens(words);
  return parameter;
}

}  // namespace

bool is_qualifier(const SourceToken& token) {
  return token.is("__restrict__") || token.is("__restrict") || token.is("restrict") || token.is("volatile") ||
         token.is("__grid_constant__") || token.is("static") || token.is("extern") || token.is("__shared__") ||
         token.is("__constant__") || token.is("__device__") || token.is("struct");
}

std::vector<CExpression> read_extents(TokenSpan tokens) {
  std::vector<CExpression> extents;
  for (std::size_t at = 1; at < tokens.size() && tokens[at].is("[");) {
    const std::size_t close = closing(tokens, at);
    if (close >= tokens.size()) break;
    if (const auto extent = parse_c(tokens.subspan(at + 1, close - at - 1)))
      extents.push_back(*extent);
    else if (close > at + 1)
      extents.push_back(CExpression::name("?"));
    at = close + 1;
  }
  return extents;
}

std::vector<FunctionParameter> read_parameters(TokenSpan tokens) {
  std::vector<FunctionParameter> parameters;
  if (tokens.size() == 1 && tokens.front().is("void")) return parameters;
  for (const TokenSpan part : split_at_commas(tokens, true)) parameters.push_back(read_parameter(part));
  return parameters;
}

std::set<std::string> declared_names(TokenSpan parameters, TokenSpan body) {
  std::set<std::string> names, seen;
  for (const FunctionParameter& parameter : read_parameters(parameters)) names.insert(parameter.name);
  for (std::size_t at = 0; at < body.size(); ++at)
    if (body[at].kind == SourceToken::Kind::word && seen.insert(body[at].text).second && is_declared(body, at))
      names.insert(body[at].text);
  return names;
}

}  // namespace warptune::tuner::draft
