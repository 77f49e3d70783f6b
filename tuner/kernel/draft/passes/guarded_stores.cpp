// Implements guards_a_store of drafter.h, which tells whether a flag of a template switches a store off.
#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

// Returns the index behind the statement at `at`, which is `x;`, `{ … }` or `if (…) x;` without its `else`.
std::size_t end_of_statement(TokenSpan tokens, std::size_t at) {
  if (at < tokens.size() && tokens[at].is("{")) return std::min(closing(tokens, at) + 1, tokens.size());
  while (at < tokens.size() && !tokens[at].is(";")) {
    if (tokens[at].is("(") || tokens[at].is("[")) at = std::min(closing(tokens, at), tokens.size() - 1);
    if (tokens[at].is("{")) return std::min(closing(tokens, at) + 1, tokens.size());
    ++at;
  }
  return std::min(at + 1, tokens.size());
}

// Returns the kernel's pointers that the tokens store to, as in y[i] = …, y[i] += …, *y = …, atomicAdd(&y[i], …).
std::set<std::string> stored_buffers(TokenSpan tokens, const KernelFacts& kernel) {
  std::set<std::string> stored;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    const auto pointer = std::ranges::find_if(kernel.parameters, [&](const FunctionParameter& parameter) {
      return parameter.pointers > 0 && tokens[at].is(parameter.name);
    });
    if (pointer == kernel.parameters.end()) continue;
    std::size_t behind = at + 1;
    while (behind < tokens.size() && tokens[behind].is("[")) behind = closing(tokens, behind) + 1;
    const bool element = behind > at + 1 || (at > 0 && tokens[at - 1].is("*"));
    const auto assigns = [&](std::size_t place) { return place < tokens.size() && tokens[place].is("="); };
    static const std::set<std::string> signs = {"+", "-", "*", "/", "|", "&", "^"};
    const bool combined = behind < tokens.size() && signs.contains(tokens[behind].text) && assigns(behind + 1);
    const bool atomic = at > 2 && (tokens[at - 1].is("(") || (tokens[at - 1].is("&") && tokens[at - 2].is("("))) &&
                        tokens[at - (tokens[at - 1].is("(") ? 2 : 3)].text.starts_with("atomic");
    if ((element && (assigns(behind) || combined)) || atomic) stored.insert(pointer->name);
  }
  return stored;
}

}  // namespace

bool guards_a_store(const KernelFacts& kernel, const std::string& name) {
  const TokenSpan body = kernel.body;
  for (std::size_t at = 0; at + 2 < body.size(); ++at) {
    if (!body[at].is("if")) continue;
    const std::size_t open = at + (body[at + 1].is("constexpr") ? 2 : 1);
    const std::size_t close = open < body.size() && body[open].is("(") ? closing(body, open) : body.size();
    if (close >= body.size() || !contains_word(body.subspan(open, close - open), name)) continue;
    const std::size_t end = end_of_statement(body, close + 1);
    const TokenSpan guarded = body.subspan(close + 1, end - close - 1);
    // if (!NAME) return; guards all that follows.
    const bool leaves = contains_word(guarded, "return");
    const bool has_else = end < body.size() && body[end].is("else");
    const TokenSpan other = has_else ? body.subspan(end, end_of_statement(body, end + 1) - end) : TokenSpan();
    const auto stored = stored_buffers(leaves ? body.subspan(end) : guarded, kernel);
    const auto stored_else = stored_buffers(other, kernel);
    if (stored != stored_else && !(leaves && stored.empty())) return true;
  }
  return false;
}

}  // namespace warptune::tuner::draft
