// Writes the columns and lines of columns.h.
#include "tuner/program/cli/terminal/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner::cli {

std::size_t help_width() {
  constexpr std::size_t usual = 80, narrowest = 60, widest = 100;
  const std::size_t columns = output_width();
  return columns == 0 ? usual : std::clamp(columns, narrowest, widest);
}

std::string two_columns(const Entries& entries, std::size_t width) {
  constexpr std::size_t margin = 2, gap = 2, widest_name = 26;
  std::size_t names = 0;
  for (const auto& [name, meaning] : entries)
    if (text_width(name) <= widest_name) names = std::max(names, text_width(name));
  const std::size_t column = margin + names + gap;
  std::string text;
  for (const auto& [name, meaning] : entries) {
    text += std::string(margin, ' ') + name;
    const std::size_t end = margin + text_width(name);
    text += end + gap > column ? '\n' + std::string(column, ' ') : std::string(column - end, ' ');
    text += wrapped_text(meaning, width, column) + '\n';
  }
  return text;
}

std::string fact(std::string_view name, const std::string& value) {
  constexpr std::size_t column = 20;                            // enough for most metrics' names
  const std::size_t width = std::max(column, name.size() + 2);  // programs tell the two apart by two spaces
  return fmt::format("{:<{}}{}\n", name, width, wrapped_text(value, output_width(), column));
}

}  // namespace warptune::tuner::cli
