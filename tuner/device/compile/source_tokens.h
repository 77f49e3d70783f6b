// Splits C++ source into tokens with lines, which are enough to see macros, declarations and includes. No compiler is
// asked, because NVRTC has no way to stop after preprocessing and a GPU machine may have no other. No parser is used,
// because kernels are full of what only nvcc's parses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner {

struct SourceToken {
  enum class Kind { word, number, text, sign };
  Kind kind = Kind::sign;
  std::string text;    // of a string or character literal: with its quotes; "#" also for its digraph and trigraph
  int line = 0;        // counts from 1
  bool first = false;  // whether it is the first of its line; lines joined by a backslash are one
  bool is(std::string_view other) const { return text == other; }
};

// Returns the tokens. Comments and a byte order mark are gone; "->", "::", "##", "&&", "||" and "==" are one sign, all
// others single characters.
std::vector<SourceToken> source_tokens(std::string_view source);

}  // namespace warptune::tuner
