// Writes tables as JSON and CSV; text_table.h lays them out for people.
#include "tuner/results/report/text/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "search/plain_text.h"
#include "tuner/results/report/text/text_table.h"

namespace warptune::tuner {

namespace {

// Turns a column's name into a heading: "time_ms" into "TIME MS".
std::string capitals(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return search::upper_case(std::move(name));
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

Table::Table(std::vector<std::string> columns) : columns_(std::move(columns)) {
  for (const std::string& name : columns_) headings_.push_back(capitals(name));
}

std::size_t Table::index(const std::string& column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end()) throw std::logic_error("there is no column " + column);
  return static_cast<std::size_t>(found - columns_.begin());
}

Table& Table::heading(const std::string& column, std::string text) {
  headings_[index(column)] = std::move(text);
  return *this;
}

Table& Table::less_important(const std::vector<std::string>& columns) {
  for (const std::string& column : columns) less_important_.push_back(index(column));
  return *this;
}

Table& Table::only_for_programs(const std::vector<std::string>& columns) {
  for (const std::string& column : columns) only_for_programs_.push_back(index(column));
  return *this;
}

void Table::add(std::vector<Cell> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a table's row must have a cell for each column");
  rows_.push_back(std::move(cells));
}

std::string Table::render(Format format, std::size_t width) const {
  if (format == Format::json) return as_json();
  return format == Format::csv ? as_csv() : as_table(width);
}

// Columns that no row fills say nothing.
bool Table::is_shown(std::size_t column) const {
  if (std::ranges::find(only_for_programs_, column) != only_for_programs_.end()) return false;
  return rows_.empty() || !std::ranges::all_of(rows_, [=](const auto& row) { return row[column].is_empty(); });
}

std::string Table::as_table(std::size_t width) const {
  std::vector<TextColumn> columns(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    TextColumn& column = columns[i];
    column.heading = headings_[i];
    column.right = !rows_.empty() && rows_.front()[i].is_number();
    for (const auto& row : rows_) column.cells.push_back({row[i].for_people(), row[i].is_number()});
    column.omitted = !is_shown(i);
  }
  return text_table(std::move(columns), less_important_, width);
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
