// Writes names in one column and what they mean in another, at the width of the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::tuner::cli {

// Returns the columns that help takes: the terminal's, from 60 to 100, as longer lines are hard to read; 80 where there
// is no terminal.
std::size_t help_width();

// `two_columns` writes names on the left and what they mean in a column on the right. Each line begins with two spaces.
// A name that is too wide for its column has the line to itself.
using Entries = std::vector<std::pair<std::string, std::string>>;
std::string two_columns(const Entries& entries, std::size_t width);

// Returns a line "name    value" of what is known of one thing, wrapped to the output's width.
std::string fact(std::string_view name, const std::string& value);

}  // namespace warptune::tuner::cli
