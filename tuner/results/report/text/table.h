// Holds rows of named cells, and writes them as an aligned table, JSON or CSV: every list the program prints is one of
// these. Programs get every column and every bit; people get a table that fits their terminal.
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

// A cell is what stands in a place of a table. Programs get values with their types; people get a text where that reads
// better.
class Cell {
 public:
  Cell() = default;  // empty: null in JSON and blank elsewhere
  Cell(std::nullopt_t) {}
  template <class Content>
  requires std::constructible_from<std::optional<search::Value>, Content> Cell(Content&& content)
      : value_(std::forward<Content>(content)) {}
  // Holds a configuration or a size: an object in JSON, "M=1024,N=512" elsewhere.
  Cell(search::NamedValues values) : values_(std::move(values)) {}
  // Holds numbers: an array in JSON, "1, 2" elsewhere.
  Cell(std::vector<double> numbers) : numbers_(std::move(numbers)) {}
  // Gives `shown` to people, the number to programs.
  Cell(std::string shown, double number) : value_(number), shown_(std::move(shown)) {}
  // Gives `shown` to people, the rest to programs.
  Cell(std::string shown, search::NamedValues values) : values_(std::move(values)), shown_(std::move(shown)) {}
  // Gives `shown` to people, nothing to programs.
  Cell(std::string shown, std::nullopt_t) : shown_(std::move(shown)) {}
  Cell(std::string shown, std::string text) : value_(std::move(text)), shown_(std::move(shown)) {}

  // Returns the text for people, "-" if empty; doubles are rounded to five digits.
  std::string for_people() const;
  // Returns the text for programs that read text, with every bit of a number. The numbers of an array have five digits.
  std::string for_programs() const;
  bool is_number() const;
  bool is_empty() const { return !value_ && !values_ && !numbers_ && shown_.empty(); }

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
  explicit Table(std::vector<std::string> columns);

  // Adds a row; there must be as many cells as columns.
  void add(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }

  // Sets what the table form calls a column. Throws std::logic_error for an unknown one, as the next two do.
  Table& heading(const std::string& column, std::string text);
  // Names the columns that the table form leaves out where a line has no room for them, the first of these first.
  Table& less_important(const std::vector<std::string>& columns);

  // Names the columns that the table form does not show at all.
  Table& only_for_programs(const std::vector<std::string>& columns);

  // These are for whoever renders the table in another form.
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::string>& headings() const { return headings_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }
  // Returns whether people see the column: it is for them, and some row fills it.
  bool is_shown(std::size_t column) const;

  // Returns a text that ends with a newline. JSON (an array of objects, document.h puts it into a document) and CSV
  // (RFC 4180) keep every bit. In the table form numbers are right-aligned, columns without any content are left out,
  // and lines have at most `width` characters if that can be had: texts are wrapped, and less important columns left
  // out. Width 0: no limit.
  std::string render(Format format, std::size_t width = 0) const;

 private:
  std::size_t index(const std::string& column) const;
  std::string as_table(std::size_t width) const;
  std::string as_json() const;
  std::string as_csv() const;

  std::vector<std::string> columns_, headings_;
  std::vector<std::size_t> less_important_, only_for_programs_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace warptune::tuner
