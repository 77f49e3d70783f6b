// Holds a parsed TOML file as an ordered tree in which every node knows its key and line, which good error messages
// need. The tree also keeps the order in which parameters were written. TOML's own unordered tables lose it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "search/expression/expression.h"
#include "search/value.h"
#include "tuner/kernel/manifest/derived.h"

namespace warptune::tuner {

// A Document is what all nodes of a file share.
struct Document {
  std::string file;
  DerivedExpressions derived;
};

class Node {
 public:
  using Array = std::vector<Node>;
  using Table = std::vector<std::pair<std::string, Node>>;  // in source order

  Node(std::shared_ptr<const Document> document, int line, std::string path,
       std::variant<search::Value, Array, Table> content)
      : document_(std::move(document)), line_(line), path_(std::move(path)), content_(std::move(content)) {}

  // Throws ManifestError: "file:line: key: expected …", without the line where the format does not tell it.
  [[noreturn]] void fail(const std::string& problem) const;

  const std::string& file() const { return document_->file; }
  const std::string& path() const { return path_; }

  bool is_table() const { return std::holds_alternative<Table>(content_); }
  bool is_array() const { return std::holds_alternative<Array>(content_); }

  // These functions return the content as one type. Each fails with what was expected if the content is something else.
  const Table& table() const;
  const Array& array() const;
  const search::Value& value() const;
  const std::string& string() const;
  std::int64_t integer() const;
  double number() const;
  bool boolean() const;
  // A string is parsed, with derived expressions in place of their names; a number or boolean stands for itself.
  search::Expression expression() const;
  // These functions take an array, or a single value, which gives an array of one.
  std::vector<std::string> strings() const;
  std::vector<search::Expression> expressions() const;

  // Returns a table's member, or nullptr if it is missing. `at` fails if it is missing.
  const Node* find(std::string_view key) const;
  const Node& at(std::string_view key) const;
  // Fails on the first key that is not among these, and lists them.
  void allow_only(const std::vector<std::string>& keys) const;

 private:
  std::shared_ptr<const Document> document_;
  int line_;          // 0: unknown
  std::string path_;  // "arguments.A.type"
  std::variant<search::Value, Array, Table> content_;
};

// Throws ManifestError if the file cannot be read or is no TOML, or if a name in its table `derived` cannot be one.
Node read_toml(const std::filesystem::path& file);
// Does the same for a file's content. `name` is for messages.
Node parse_toml(const std::string& text, const std::string& name);

}  // namespace warptune::tuner
