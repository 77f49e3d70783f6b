// Shows a source as its compiler sees it by default: what #if leaves out is empty, line by line, so that all else keeps
// its lines. Otherwise the first of two `#define BLOCK` would count, whichever is compiled.
//
// Which branch is taken:
//  - the first whose condition holds, by the macros of the source and of its own headers;
//  - a macro that nothing defines is not defined, or 0;
//  - a condition that cannot be told (it asks the compiler's own __CUDA_ARCH__) is taken to hold.
// A note names both lines where a name that the source does not define decides between two texts.
//
// Within functions the code of all branches stays, for a parameter may choose among them, and a buffer that one of them
// reads is an argument. (Only `#if 0` is left out there.) Definitions of macros in branches not taken go there as well.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/kernel/draft/facts/preprocessor_condition.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

class TakenBranches {
 public:
  explicit TakenBranches(HeaderReader read) : read_(std::move(read)) {}

  std::string of_source(std::string_view text) { return of(text, ""); }
  // Returns a reader of the headers that the source includes, which reads them in the same way. It is valid as long as
  // this object.
  HeaderReader reader();
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::string of(std::string_view text, const std::string& header);
  void include(const IncludeLine& line, const std::string& header);

  HeaderReader read_;
  KnownMacros macros_;
  std::map<std::pair<std::string, int>, HeaderText> headers_;  // by file and line of the #include
  std::vector<std::string> notes_;
};

}  // namespace warptune::tuner::draft
