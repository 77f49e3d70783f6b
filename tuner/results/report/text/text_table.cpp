// Fits columns into a width: leaves out less important ones, wraps texts and at last breaks words. Rejected: cutting
// long cells with "…", which hides just what the reader looks for in a configuration or a message.
#include "tuner/results/report/text/text_table.h"

#include <algorithm>

#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner {

namespace {

constexpr std::size_t gap = 2;                    // between columns
constexpr std::size_t readable = 16;              // a text column is not made narrower to keep a less important one
constexpr std::size_t least_words = 8;            // no text column is made narrower than this
constexpr std::size_t longest_word = 32;          // longer words are cut
constexpr std::size_t longest_where_narrow = 12;  // longer words are cut where nothing else makes a line fit

// Returns the width of the longest piece that stays whole when a text is wrapped.
std::size_t longest_piece(const std::string& text) {
  std::size_t longest = 0, begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ' && text[i] != ',') continue;
    longest = std::max(longest, text_width(text.substr(begin, i + (text[i] == ',' ? 1 : 0) - begin)));
    begin = i + 1;
  }
  return std::max(longest, text_width(text.substr(begin)));
}

struct Extent {
  std::size_t natural = 0, least = 0, width = 0;
  std::size_t least_broken = 0;  // the least width where words are broken, too
  bool shown = true;
};

Extent extent_of(const TextColumn& column) {
  Extent extent;
  std::size_t word = 0, fixed = 0;
  const std::size_t heading = longest_piece(column.heading);
  extent.natural = text_width(column.heading);
  for (const TextCell& cell : column.cells) {
    const std::size_t width = text_width(cell.text);
    extent.natural = std::max(extent.natural, width);
    if (cell.number)
      fixed = std::max(fixed, width);
    else
      word = std::max(word, longest_piece(cell.text));
  }
  const auto least = [&](std::size_t longest) {
    const std::size_t whole = std::max({heading, std::min(word, longest), least_words});
    return std::max(fixed, std::min(extent.natural, whole));
  };
  extent.least = least(longest_word);
  extent.least_broken = least(longest_where_narrow);
  extent.width = extent.natural;
  extent.shown = !column.omitted;
  return extent;
}

std::size_t total(const std::vector<Extent>& extents, std::size_t (*width)(const Extent&)) {
  std::size_t sum = 0;
  for (const Extent& extent : extents)
    if (extent.shown) sum += width(extent) + gap;
  return std::max(sum, gap) - gap;
}

// Narrows the widest column that can give, until all fit or none can.
void shrink(std::vector<Extent>& extents, std::size_t width) {
  while (total(extents, [](const Extent& extent) { return extent.width; }) > width) {
    Extent* widest = nullptr;
    for (Extent& extent : extents)
      if (extent.shown && extent.width > extent.least && (!widest || extent.width > widest->width)) widest = &extent;
    if (!widest) return;
    --widest->width;
  }
}

// Returns the width that a column's lines need once they are broken.
std::size_t used_width(const TextColumn& column, std::size_t width) {
  std::size_t used = 0;
  const auto measure = [&](const std::string& text) {
    for (const std::string& line : wrapped(text, width)) used = std::max(used, text_width(line));
  };
  measure(column.heading);
  for (const TextCell& cell : column.cells) measure(cell.text);
  return used;
}

// Room that broken lines leave goes to the column with the longest text.
void hand_on(const std::vector<TextColumn>& columns, std::vector<Extent>& extents) {
  Extent* longest = nullptr;
  for (Extent& extent : extents)
    if (extent.shown && extent.width < extent.natural && (!longest || extent.natural > longest->natural))
      longest = &extent;
  for (std::size_t i = 0; longest && i < columns.size(); ++i) {
    Extent& extent = extents[i];
    if (!extent.shown || &extent == longest || extent.width == extent.natural) continue;
    const std::size_t used = used_width(columns[i], extent.width);
    longest->width = std::min(longest->natural, longest->width + extent.width - used);
    extent.width = used;
  }
}

void fit(const std::vector<TextColumn>& columns, std::vector<Extent>& extents,
         const std::vector<std::size_t>& less_important, std::size_t width) {
  if (width == 0) return;
  const auto comfortable = [](const Extent& extent) {
    return std::max(extent.least, std::min(extent.natural, readable));
  };
  std::vector<std::size_t> left_out;
  for (const std::size_t column : less_important)
    if (extents[column].shown && total(extents, comfortable) > width) {
      extents[column].shown = false;
      left_out.push_back(column);
    }
  // One wide column that was left out may have made room for several narrow ones.
  for (auto column = left_out.rbegin(); column != left_out.rend(); ++column) {
    extents[*column].shown = true;
    extents[*column].shown = total(extents, comfortable) <= width;
  }
  shrink(extents, width);
  // A hash over two lines is easier to read than what a terminal makes of lines that are too long.
  for (Extent& extent : extents) extent.least = extent.least_broken;
  shrink(extents, width);
  hand_on(columns, extents);
}

std::string padded(const std::string& text, std::size_t to, bool right) {
  const std::string space(to - std::min(to, text_width(text)), ' ');
  return right ? space + text : text + space;
}

// Appends one row, over as many lines as its longest cell.
void append_row(const std::vector<TextCell>& cells, const std::vector<Extent>& extents, std::string& out) {
  std::vector<std::vector<std::string>> lines;
  std::size_t height = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    lines.push_back(wrapped(cells[i].text, extents[i].width));
    if (extents[i].shown) height = std::max(height, lines.back().size());
  }
  for (std::size_t number = 0; number < height; ++number) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (extents[i].shown)
        line += padded(number < lines[i].size() ? lines[i][number] : "", extents[i].width, cells[i].number) +
                std::string(gap, ' ');
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
}

// Returns each row as lines of a heading and its value, with all columns. It is for a width in which not even the
// narrowest columns fit.
std::string as_records(const std::vector<TextColumn>& columns, std::size_t width) {
  std::size_t widest = 0;
  for (const TextColumn& column : columns)
    if (!column.omitted) widest = std::max(widest, text_width(column.heading));
  const std::size_t indent = std::min(widest + gap, width / 2);
  std::string out;
  for (std::size_t row = 0; !columns.empty() && row < columns.front().cells.size(); ++row) {
    if (row > 0) out += '\n';
    for (const TextColumn& column : columns) {
      if (column.omitted || column.cells[row].text.empty() || column.cells[row].text == "-") continue;
      const std::vector<std::string> lines = wrapped(column.cells[row].text, width - indent);
      out += padded(column.heading, indent, false);
      if (text_width(column.heading) >= indent) out += '\n' + std::string(indent, ' ');
      for (std::size_t i = 0; i < lines.size(); ++i) out += (i == 0 ? "" : std::string(indent, ' ')) + lines[i] + '\n';
    }
  }
  return out;
}

// Returns "Not shown, for want of room: ERROR, TIES"; empty if all are shown.
std::string left_out(const std::vector<TextColumn>& columns, const std::vector<Extent>& extents, std::size_t width) {
  std::string names;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!extents[i].shown && !columns[i].omitted) names += (names.empty() ? "" : ", ") + columns[i].heading;
  return names.empty() ? "" : wrapped_text("Not shown, for want of room: " + names, width, 2) + '\n';
}

}  // namespace

std::string text_table(std::vector<TextColumn> columns, const std::vector<std::size_t>& less_important,
                       std::size_t width) {
  std::vector<Extent> extents;
  std::vector<TextCell> header;
  for (const TextColumn& column : columns) {
    extents.push_back(extent_of(column));
    header.push_back({column.heading, column.right});
  }
  fit(columns, extents, less_important, width);
  const bool has_rows = !columns.empty() && !columns.front().cells.empty();
  if (width > 0 && has_rows && total(extents, [](const Extent& extent) { return extent.width; }) > width)
    return as_records(columns, width);
  std::string out;
  append_row(header, extents, out);
  for (std::size_t row = 0; !columns.empty() && row < columns.front().cells.size(); ++row) {
    std::vector<TextCell> cells;
    for (TextColumn& column : columns) cells.push_back(std::move(column.cells[row]));
    append_row(cells, extents, out);
  }
  return out + left_out(columns, extents, width);
}

}  // namespace warptune::tuner
