// The host's functions as `init` reads them: with the text of the source's macros and of its functions that only return
// something in the place of their calls, and without the names of namespaces.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Those that the source opens, and std.
std::set<std::string> namespaces_of(const SourceOutline& outline);
// img::TILE as TILE. Members of types keep theirs: Pack::size.
std::vector<SourceToken> without_namespaces(TokenSpan tokens, const std::set<std::string>& namespaces);

class HostCode {
 public:
  explicit HostCode(const SourceOutline& outline);
  HostCode(const HostCode&) = delete;  // bodies point into the tokens
  HostCode& operator=(const HostCode&) = delete;

  // Of the source's functions that are no kernels, in their order. Where they stand does not change.
  const std::deque<SourceItem>& functions() const { return functions_; }

 private:
  std::deque<SourceItem> functions_;
  std::deque<std::vector<SourceToken>> tokens_;
};

}  // namespace warptune::tuner::draft
