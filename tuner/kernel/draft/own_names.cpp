// Counts the declarations of each name: the second i becomes i#2.
#include "tuner/kernel/draft/own_names.h"

#include <map>

#include "tuner/kernel/draft/naming.h"

namespace warptune::tuner::draft {

namespace {

// Returns whether a statement such as x = blockIdx.y * …; begins another variable. It stands on its own and does not
// use the x before.
bool begins_anew(const std::vector<SourceToken>& tokens, std::size_t at) {
  if (!tokens[at + 1].is("=") || !(tokens[at - 1].is(";") || tokens[at - 1].is("}"))) return false;
  bool of_blocks = false;
  for (std::size_t next = at + 2; next < tokens.size() && !tokens[next].is(";"); ++next) {
    if (tokens[next].text == tokens[at].text && !tokens[next - 1].is(".")) return false;  // threadIdx.x is no x
    of_blocks |= tokens[next].is("blockIdx");
  }
  return of_blocks;
}

}  // namespace

std::vector<SourceToken> with_own_names(TokenSpan body) {
  std::vector<SourceToken> tokens(body.begin(), body.end());
  std::map<std::string, int> declared;
  int depth = 0;
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
    SourceToken& token = tokens[at];
    depth += token.is("{") - token.is("}");
    if (token.kind != SourceToken::Kind::word || tokens[at - 1].is(".") || tokens[at - 1].is("->")) continue;
    const std::string& before = tokens[at - 1].text;
    const bool is_declared =
        (tokens[at + 1].is("=") && (is_integer_type(before) || before == "auto" || before == "const")) ||
        (depth == 0 && at + 2 < tokens.size() && begins_anew(tokens, at));
    const int number = is_declared ? ++declared[token.text] : declared.contains(token.text) ? declared[token.text] : 0;
    if (number > 1) token.text += "#" + std::to_string(number);
  }
  return tokens;
}

std::set<std::string> namespaces_of(const SourceOutline& outline) {
  std::set<std::string> names = {"std"};
  for (std::size_t at = 0; at + 1 < outline.code.size(); ++at) {
    if (!outline.code[at].is("namespace") || (at > 0 && outline.code[at - 1].is("using"))) continue;
    // The name may have several parts: namespace a::b {
    for (++at;
         at < outline.code.size() && (outline.code[at].kind == SourceToken::Kind::word || outline.code[at].is("::"));
         ++at)
      names.insert(outline.code[at].text);
  }
  return names;
}

std::vector<SourceToken> without_namespaces(TokenSpan tokens, const std::set<std::string>& namespaces) {
  std::vector<SourceToken> result;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const bool is_scope = at + 2 < tokens.size() && tokens[at + 1].is("::") && namespaces.contains(tokens[at].text) &&
                          (result.empty() || !result.back().is("::"));
    if (is_scope)
      ++at;
    else
      result.push_back(tokens[at]);
  }
  return result;
}

}  // namespace warptune::tuner::draft
