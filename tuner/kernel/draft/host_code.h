// Holds the host's functions as `init` reads them. Macros and calls of functions that only return something are
// replaced by their text, and the names of namespaces are left out.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the namespaces that the source opens, and std.
std::set<std::string> namespaces_of(const SourceOutline& outline);
// Returns the tokens without the names of namespaces: img::TILE becomes TILE. Members of types keep the name of the
// type: Pack::size.
std::vector<SourceToken> without_namespaces(TokenSpan tokens, const std::set<std::string>& namespaces);

class HostCode {
 public:
  explicit HostCode(const SourceOutline& outline);
  HostCode(const HostCode&) = delete;  // bodies point into the tokens
  HostCode& operator=(const HostCode&) = delete;

  // Returns the source's functions that are no kernels, in the order of the source. Their addresses do not change.
  const std::deque<SourceItem>& functions() const { return functions_; }

 private:
  std::deque<SourceItem> functions_;
  std::deque<std::vector<SourceToken>> tokens_;
};

}  // namespace warptune::tuner::draft
