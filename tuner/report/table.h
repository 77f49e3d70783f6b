// Rows of named cells, written as an aligned table, JSON or CSV: every list the program prints is one of these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/value.h"

namespace warptune::tuner {

enum class Format { table, json, csv };

// Throws std::invalid_argument that lists the formats.
Format format_from_string(const std::string& name);

class Table {
 public:
  // Column names are JSON keys and CSV headers; the table form shows them in capitals.
  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  // An empty cell is null in JSON and blank elsewhere. As many cells as columns.
  void add(std::vector<std::optional<search::Value>> cells);
  bool empty() const { return rows_.empty(); }

  // Ends with a newline. In the table form numbers are right-aligned and doubles rounded to five digits; JSON and CSV
  // (RFC 4180) keep every bit.
  std::string render(Format format) const;

 private:
  std::string as_table() const;
  std::string as_json() const;
  std::string as_csv() const;

  std::vector<std::string> columns_;
  std::vector<std::vector<std::optional<search::Value>>> rows_;
};

}  // namespace warptune::tuner
