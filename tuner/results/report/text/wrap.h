// Breaks text into lines of a terminal's width.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warptune::tuner {

// Returns the width in characters, as a terminal shows them: "µ" is one.
std::size_t text_width(const std::string& text);

// Returns lines of at most `width` characters, broken behind spaces and commas; a word that is longer is cut. Width 0:
// one line for each of the text's own. An empty text is one empty line.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

// Returns the same in one text, lines from the second on indented, without a newline at the end; `width` counts the
// indentation.
std::string wrapped_text(const std::string& text, std::size_t width, std::size_t indentation);

}  // namespace warptune::tuner
