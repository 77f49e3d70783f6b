// Holds the host's functions as `init` reads them. Macros and calls of functions that only return something are
// replaced by their text, and the names of namespaces are left out.
#pragma once

#include <deque>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

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
