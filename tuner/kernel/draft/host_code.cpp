// Prepares the body of each function of the host: it replaces member calls, then macros and calls, then namespaces.
#include "tuner/kernel/draft/host_code.h"

#include <algorithm>

#include "tuner/kernel/draft/function_macros.h"
#include "tuner/kernel/draft/member_functions.h"

namespace warptune::tuner::draft {

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

HostCode::HostCode(const SourceOutline& outline) {
  const std::set<std::string> namespaces = namespaces_of(outline);
  const std::vector<MemberFunction> members = member_functions(outline);
  for (const SourceItem& item : outline.items) {
    if (item.kind != SourceItem::Kind::function || !item.is_definition || contains_word(item.head, "__global__"))
      continue;
    const std::vector<SourceToken> body = with_member_calls(item.body, outline.tokens(item), members);
    tokens_.push_back(without_namespaces(with_calls_expanded(body, outline), namespaces));
    functions_.push_back(item);
    functions_.back().body = tokens_.back();
  }
}

}  // namespace warptune::tuner::draft
