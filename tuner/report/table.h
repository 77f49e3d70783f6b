// Rows of named cells, written as an aligned table, JSON or CSV: every list the program prints is one of these.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/value.h"

namespace warptune::tuner {

enum class Format { table, json, csv };

// Throws std::invalid_argument that lists the formats.
Format format_from_string(const std::string& name);

// What stands in a place of a table. Programs get values with their types, people a text where that reads better.
class Cell {
 public:
  Cell() = default;  // empty: null in JSON and blank elsewhere
  Cell(std::nullopt_t) {}
  template <class Content>
  requires std::constructible_from<std::optional<search::Value>, Content> Cell(Content&& content)
      : value_(std::forward<Content>(content)) {}
  // A configuration or a size: an object in JSON, "M=1024,N=512" elsewhere.
  Cell(search::NamedValues values) : values_(std::move(values)) {}
  // An array in JSON, "1, 2" elsewhere.
  Cell(std::vector<double> numbers) : numbers_(std::move(numbers)) {}
  // `shown` to people, the number to programs.
  Cell(std::string shown, double number) : value_(number), shown_(std::move(shown)) {}

  // For people, "-" if empty; doubles are rounded to five digits.
  std::string for_people() const;
  // For programs that read text, every bit of every number.
  std::string for_programs() const;
  bool is_number() const;

 private:
  friend class Table;
  std::optional<search::Value> value_;
  std::optional<search::NamedValues> values_;
  std::optional<std::vector<double>> numbers_;
  std::string shown_;
};

class Table {
 public:
  // Column names are JSON keys and CSV headers; the table form shows them in capitals.
  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  // As many cells as columns.
  void add(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }

  // Ends with a newline. In the table form numbers are right-aligned; JSON (an array of objects, document.h puts it
  // into a document) and CSV (RFC 4180) keep every bit.
  std::string render(Format format) const;

 private:
  std::string as_table() const;
  std::string as_json() const;
  std::string as_csv() const;

  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace warptune::tuner
