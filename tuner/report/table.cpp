#include "tuner/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "search/plain_text.h"

namespace warptune::tuner {

namespace {

using Cell = std::optional<search::Value>;

std::string shown(const Cell& cell) {
  if (!cell) return "-";
  if (const double* number = std::get_if<double>(&*cell)) return fmt::format("{:.5g}", *number);
  return search::printable(search::to_text(*cell), search::Lines::escape);
}

bool right_aligned(const Cell& cell) {
  return cell && !std::holds_alternative<std::string>(*cell);
}

// Characters, not bytes: "µ" is one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t to, bool right) {
  const std::string space(to - std::min(to, width(text)), ' ');
  return right ? space + text : text + space;
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

nlohmann::ordered_json json_value(const Cell& cell) {
  if (!cell) return nullptr;
  return std::visit([](const auto& value) -> nlohmann::ordered_json { return value; }, *cell);
}

}  // namespace

Format format_from_string(const std::string& name) {
  if (name == "table") return Format::table;
  if (name == "json") return Format::json;
  if (name == "csv") return Format::csv;
  throw std::invalid_argument(fmt::format("there is no format '{}'; expected table, json or csv", name));
}

void Table::add(std::vector<Cell> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a table's row must have a cell for each column");
  rows_.push_back(std::move(cells));
}

std::string Table::render(Format format) const {
  if (format == Format::json) return as_json();
  return format == Format::csv ? as_csv() : as_table();
}

std::string Table::as_table() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    widths.push_back(width(columns_[column]));
    for (const auto& row : rows_) widths.back() = std::max(widths.back(), width(shown(row[column])));
  }
  std::string out, header;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::string name = columns_[column];
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(c == '_' ? ' ' : std::toupper(c)); });
    const bool right = !rows_.empty() && right_aligned(rows_.front()[column]);
    header += padded(name, widths[column], right) + "  ";
  }
  append_line(out, header);
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column)
      line += padded(shown(row[column]), widths[column], right_aligned(row[column])) + "  ";
    append_line(out, line);
  }
  return out;
}

std::string Table::as_json() const {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : rows_) {
    nlohmann::ordered_json object;
    for (std::size_t column = 0; column < row.size(); ++column) object[columns_[column]] = json_value(row[column]);
    rows.push_back(std::move(object));
  }
  return rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string Table::as_csv() const {
  std::string out;
  for (std::size_t column = 0; column < columns_.size(); ++column)
    out += (column > 0 ? "," : "") + csv_field(columns_[column]);
  out += "\r\n";
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column)
      out += (column > 0 ? "," : "") + (row[column] ? csv_field(search::to_text(*row[column])) : "");
    out += "\r\n";
  }
  return out;
}

}  // namespace warptune::tuner
