// Prepares the body of each function of the host: it replaces member calls, then macros and calls, then namespaces.
#include "tuner/kernel/draft/facts/host_code.h"

#include <algorithm>

#include "tuner/kernel/draft/expressions/function_macros.h"
#include "tuner/kernel/draft/expressions/plain_body.h"
#include "tuner/kernel/draft/facts/member_functions.h"

namespace warptune::tuner::draft {

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
