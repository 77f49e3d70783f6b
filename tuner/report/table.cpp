#include "tuner/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "search/plain_text.h"

namespace warptune::tuner {

namespace {

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

nlohmann::ordered_json json_value(const search::Value& value) {
  return std::visit([](const auto& content) -> nlohmann::ordered_json { return content; }, value);
}

}  // namespace

std::string Cell::for_people() const {
  if (!shown_.empty()) return shown_;
  if (values_) return search::printable(search::to_text(*values_), search::Lines::escape);
  if (numbers_) {
    std::string text;
    for (const double number : *numbers_) text += fmt::format("{}{:.5g}", text.empty() ? "" : ", ", number);
    return text;
  }
  if (!value_) return "-";
  if (const double* number = std::get_if<double>(&*value_)) return fmt::format("{:.5g}", *number);
  return search::printable(search::to_text(*value_), search::Lines::escape);
}

std::string Cell::for_programs() const {
  if (values_) return search::to_text(*values_);
  if (numbers_) return for_people();
  return value_ ? search::to_text(*value_) : "";
}

bool Cell::is_number() const {
  return value_ && !std::holds_alternative<std::string>(*value_);
}

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
    for (const auto& row : rows_) widths.back() = std::max(widths.back(), width(row[column].for_people()));
  }
  std::string out, header;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::string name = columns_[column];
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(c == '_' ? ' ' : std::toupper(c)); });
    const bool right = !rows_.empty() && rows_.front()[column].is_number();
    header += padded(name, widths[column], right) + "  ";
  }
  append_line(out, header);
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column)
      line += padded(row[column].for_people(), widths[column], row[column].is_number()) + "  ";
    append_line(out, line);
  }
  return out;
}

std::string Table::as_json() const {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : rows_) {
    nlohmann::ordered_json object;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const Cell& cell = row[column];
      nlohmann::ordered_json& member = object[columns_[column]] = nullptr;
      if (cell.value_) member = json_value(*cell.value_);
      if (cell.numbers_) member = *cell.numbers_;
      if (cell.values_) member = nlohmann::ordered_json::object();
      for (const auto& [name, value] : cell.values_.value_or(search::NamedValues())) member[name] = json_value(value);
    }
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
      out += (column > 0 ? "," : "") + csv_field(row[column].for_programs());
    out += "\r\n";
  }
  return out;
}

}  // namespace warptune::tuner
