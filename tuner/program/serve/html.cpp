// Escapes text, and writes elements, tables and whole pages.
#include "tuner/program/serve/html.h"

#include <algorithm>

#include "search/plain_text.h"

namespace warptune::tuner::serve {

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (c == '\'')
      result += "&#39;";
    else
      result += c;
  }
  return result;
}

bool is_void(std::string_view name) {
  return name == "input" || name == "meta" || name == "link" || name == "br";
}

// Returns a table's heading as a page shows it: "Time ms" for "TIME MS".
std::string sentence_case(const std::string& heading) {
  return heading.substr(0, 1) + search::lower_case(heading.substr(std::min<std::size_t>(heading.size(), 1)));
}

// Returns the columns' classes for the style sheet: each column's name, and whether it has numbers; empty for what is
// not shown.
std::vector<std::string> classes_of(const Table& table) {
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const bool numbers = std::ranges::any_of(table.rows(), [i](const auto& row) { return row[i].is_number(); });
    classes.push_back(table.is_shown(i) ? (numbers ? "number " : "") + table.columns()[i] : "");
  }
  return classes;
}

Html table_head(const Table& table, const std::vector<std::string>& classes, const ExtraColumn& extra) {
  Html cells;
  for (std::size_t i = 0; i < table.columns().size(); ++i)
    if (!classes[i].empty())
      cells += element("th", {{"scope", "col"}, {"class", classes[i]}}, sentence_case(table.headings()[i]));
  const Html added = extra.content ? element("th", {{"scope", "col"}}, extra.heading) : Html();
  cells = extra.first ? added + cells : cells + added;
  return element("thead", element("tr", cells));
}

Html row_cells(const Table& table, std::size_t row, const std::vector<std::string>& classes, const CellLink& linked) {
  Html cells;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (classes[i].empty()) continue;
    const Cell& cell = table.rows()[row][i];
    const std::string target = linked && !cell.is_empty() ? linked(row, table.columns()[i]) : "";
    const Html content = cell.is_empty() ? Html() : Html(cell.for_people());
    cells += element("td", {{"class", classes[i]}}, target.empty() ? content : link(target, content));
  }
  return cells;
}

Html document(const std::string& title, const Html& head, const Html& body) {
  return element(
      "html", {{"lang", "en"}},
      element("head",
              element("meta", {{"charset", "utf-8"}}, {}) +
                  element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}, {}) +
                  element("link", {{"rel", "icon"}, {"href", "data:,"}}, {}) + element("title", title) + head) +
          element("body", body));
}

Html navigation(const Frame& frame) {
  std::vector<std::pair<std::string, std::string>> entries = {
      {"Overview", "/"}, {"Sessions", "/sessions"}, {"Winners", "/winners"}, {"Checks", "/checks"}};
  if (frame.live) entries.insert(entries.begin(), {"Live", "/live"});
  Html items;
  for (const auto& [name, target] : entries) {
    Attributes attributes{{"href", target}};
    if (name == frame.here) attributes.emplace_back("aria-current", "page");
    items += element("li", element("a", attributes, name));
  }
  return element("nav", {{"aria-label", "Pages"}}, element("ul", items));
}

}  // namespace

Html::Html(std::string_view text) : markup_(escaped(search::printable(text, search::Lines::keep))) {}

Html element(std::string_view name, const Attributes& attributes, const Html& content) {
  Html result;
  result.markup_ = '<' + std::string(name);
  for (const auto& [attribute, value] : attributes) {
    result.markup_ += ' ' + std::string(attribute);
    if (!value.empty()) result.markup_ += "=\"" + Html(value).markup() + '"';
  }
  result.markup_ += '>';
  if (!is_void(name)) result.markup_ += content.markup() + "</" + std::string(name) + '>';
  return result;
}

Html element(std::string_view name, const Html& content) {
  return element(name, Attributes{}, content);
}

Html paragraph(const Html& content) {
  return element("p", content);
}

Html heading(const std::string& text) {
  return element("h2", text);
}

Html link(const std::string& target, const Html& content) {
  return element("a", {{"href", target}}, content);
}

Html facts(const std::vector<std::pair<std::string, Html>>& rows) {
  Html content;
  for (const auto& [name, value] : rows)
    if (!value.empty()) content += element("dt", name) + element("dd", value);
  return element("dl", {{"class", "facts"}}, content);
}

Html scrolling(const std::string& label, const Html& content) {
  return element("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", label}}, content);
}

Html html_table(const Table& table, const std::string& caption, const CellLink& linked, const ExtraColumn& extra) {
  const std::vector<std::string> classes = classes_of(table);
  Html rows;
  for (std::size_t row = 0; row < table.rows().size(); ++row) {
    Html cells = row_cells(table, row, classes, linked);
    const Html added = extra.content ? element("td", {{"class", "extra"}}, extra.content(row)) : Html();
    cells = extra.first ? added + cells : cells + added;
    rows += element("tr", cells);
  }
  return scrolling(caption, element("table", element("caption", caption) + table_head(table, classes, extra) +
                                                 element("tbody", rows)));
}

std::string bare_page(const std::string& title, const Html& content) {
  return "<!DOCTYPE html>\n" + document(title, {}, element("main", element("h1", title) + content)).markup() + '\n';
}

std::string page(const Frame& frame, const Html& content) {
  const Html head = element("link", {{"rel", "stylesheet"}, {"href", "/style.css"}}, {}) +
                    element("script", {{"src", "/script.js"}, {"defer", ""}}, {});
  const Html top = element("a", {{"class", "skip"}, {"href", "#content"}}, "Skip to the content") +
                   element("header", element("a", {{"class", "mark"}, {"href", "/"}}, "Warptune") + navigation(frame));
  const Html main = element("main", {{"id", "content"}, {"tabindex", "-1"}}, element("h1", frame.title) + content);
  return "<!DOCTYPE html>\n" + document(frame.title + " – Warptune", head, top + main).markup() + '\n';
}

}  // namespace warptune::tuner::serve
