// Lays out a table that people read: which columns there is room for, how wide each is, and where texts go on in the
// next line. This is private to tuner/results/report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warptune::tuner {

struct TextCell {
  std::string text;
  bool number = false;  // stands right, and is never broken
};

struct TextColumn {
  std::string heading;
  std::vector<TextCell> cells;
  bool right = false;    // the heading stands right
  bool omitted = false;  // not shown at all
};

// Returns the table's text. All columns must have the same number of cells. `less_important` names columns that are
// left out where they do not fit, the first of these first; a last line names those that were left out. Where even the
// rest does not fit, each row is a block of lines, with a column in each. Width 0: no limit.
std::string text_table(std::vector<TextColumn> columns, const std::vector<std::size_t>& less_important,
                       std::size_t width);

}  // namespace warptune::tuner
