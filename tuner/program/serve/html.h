// Makes HTML that cannot forget to escape: text becomes markup only through these functions, and `Html` is a type of
// its own.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/results/report/text/table.h"

namespace warptune::tuner::serve {

class Html {
 public:
  Html() = default;
  // Escapes the text. What a terminal or a browser would obey in it (direction marks, control characters) is shown.
  Html(std::string_view text);
  Html(const char* text) : Html(std::string_view(text)) {}
  Html(const std::string& text) : Html(std::string_view(text)) {}

  Html& operator+=(const Html& other) {
    markup_ += other.markup_;
    return *this;
  }
  friend Html operator+(Html a, const Html& b) { return a += b; }
  bool empty() const { return markup_.empty(); }
  const std::string& markup() const { return markup_; }

 private:
  friend Html element(std::string_view, const std::vector<std::pair<std::string_view, std::string>>&, const Html&);
  std::string markup_;
};

// Attributes' values are escaped; one with the value "" stands alone.
using Attributes = std::vector<std::pair<std::string_view, std::string>>;
Html element(std::string_view name, const Attributes& attributes, const Html& content);
Html element(std::string_view name, const Html& content);

Html paragraph(const Html& content);
Html heading(const std::string& text);
Html link(const std::string& target, const Html& content);
// Returns a definition list of names and what they are.
Html facts(const std::vector<std::pair<std::string, Html>>& rows);

// `html_table` returns a report's table, with its columns and figures. Columns without content are left out. `linked`
// may give a cell a target, by row and name of column; empty for none.
using CellLink = std::function<std::string(std::size_t row, const std::string& column)>;
// An extra column holds markup, which no report's table has.
struct ExtraColumn {
  std::string heading;
  std::function<Html(std::size_t row)> content;
  bool first = false;  // before the others; else behind them
};
Html html_table(const Table& table, const std::string& caption, const CellLink& linked = nullptr,
                const ExtraColumn& extra = {});
// Returns a box that scrolls by itself, also by keyboard, so that the page need not.
Html scrolling(const std::string& label, const Html& content);

// Returns a whole document without navigation, for those who have not been let in.
std::string bare_page(const std::string& title, const Html& content);
// `page` returns a document with navigation. `here` is the entry that is shown. `live` adds the entry of a running
// session.
struct Frame {
  std::string title, here;
  bool live = false;
};
std::string page(const Frame& frame, const Html& content);

}  // namespace warptune::tuner::serve
