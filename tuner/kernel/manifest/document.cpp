// Parses TOML with toml++, behind a check for what that parser cannot bear, and converts its tables to nodes in the
// order of the source.
#include "tuner/kernel/manifest/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "search/spelling.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/manifest/toml.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

struct TomlFault {
  std::size_t line;
  const char* what;  // "tables or arrays nest too deep"
};

constexpr int most_brackets = 32;
constexpr int most_dots = 15;

// Returns the end of the string that begins at `begin` with a quote, or of the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const bool escapes = quote == '"';
  const bool lines = text.substr(begin, 3) == std::string_view(escapes ? "\"\"\"" : "'''");
  for (std::size_t i = begin + (lines ? 3 : 1); i < text.size(); ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (lines && text.substr(i, 3) == text.substr(begin, 3)) {
      i += 3;
      for (int more = 0; more < 2 && i < text.size() && text[i] == quote; ++more) ++i;  // "two"""""
      return i;
    } else if (!lines && (text[i] == quote || text[i] == '\n')) {
      return i + 1;
    }
  }
  return text.size();
}

bool in_key(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == ' ' || c == '\t';
}

std::size_t line_of(std::string_view text, std::size_t place) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, place), '\n'));
}

// Returns the first place with more than 32 brackets around something, with a key of more than 16 parts (a.b.c…), or
// with a character beyond ASCII outside of strings and comments. TOML 1.0 has none there.
//
// toml++ limits brackets, but not the parts of a dotted key. It recurses over the tables that those make, as does what
// reads its tree: a text of 200 kB exhausted the stack. Its behaviour is undefined for letters such as é where a key
// may begin (version 3.3: its table of white space). Rejected: patching the library, or another library, which the
// distribution does not have.
// Strings and comments are skipped as TOML has them. In a text that is no TOML this may go astray, but not before the
// place where the parser stops.
std::optional<TomlFault> toml_fault(std::string_view toml) {
  int brackets = 0, dots = 0;
  for (std::size_t i = toml.starts_with(byte_order_mark) ? byte_order_mark.size() : 0; i < toml.size();) {
    const char c = toml[i];
    std::size_t next = i + 1;
    if (c == '"' || c == '\'') {
      next = end_of_string(toml, i);
    } else if (c == '#') {
      next = std::min(toml.find('\n', i), toml.size());
    } else if (c == '.') {
      ++dots;
    } else if (!in_key(c)) {
      dots = 0;
      brackets += (c == '[' || c == '{') - (c == ']' || c == '}');
    }
    if (brackets > most_brackets || dots > most_dots)
      return TomlFault{line_of(toml, i), "tables or arrays nest too deep"};
    if (static_cast<unsigned char>(c) >= 0x80)
      return TomlFault{line_of(toml, i), "a character beyond ASCII stands outside of strings and comments"};
    i = next;
  }
  return std::nullopt;
}

using File = std::shared_ptr<const Document>;

Node convert(const File& file, const std::string& path, const toml::node& node);

Node::Table convert_table(const File& file, const std::string& path, const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (auto&& [key, value] : table) entries.emplace_back(&key, &value);
  std::ranges::stable_sort(entries, [](const auto& a, const auto& b) {
    const auto& x = a.first->source().begin;
    const auto& y = b.first->source().begin;
    return std::pair(x.line, x.column) < std::pair(y.line, y.column);
  });
  Node::Table result;
  for (const auto& [key, value] : entries) {
    const std::string name(key->str());
    result.emplace_back(name, convert(file, path.empty() ? name : path + "." + name, *value));
  }
  return result;
}

Node::Array convert_array(const File& file, const std::string& path, const toml::array& array) {
  Node::Array result;
  for (const toml::node& item : array)
    result.push_back(convert(file, fmt::format("{}[{}]", path, result.size()), item));
  return result;
}

search::Value scalar(const toml::node& node, const std::string& file, const std::string& path) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::int64_t{number->get()};
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  throw ManifestError(fmt::format("{}:{}: {}: expected a string, number or boolean, not a date or time", file,
                                  node.source().begin.line, path));
}

Node convert(const File& file, const std::string& path, const toml::node& node) {
  const int line = static_cast<int>(node.source().begin.line);
  if (const auto* table = node.as_table()) return {file, line, path, convert_table(file, path, *table)};
  if (const auto* array = node.as_array()) return {file, line, path, convert_array(file, path, *array)};
  return {file, line, path, scalar(node, file->file, path)};
}

[[noreturn]] void too_long(const Node& node) {
  node.fail(fmt::format("with the derived names in it written out, it is longer than {} characters",
                        DerivedExpressions::most_length));
}

// Reads the derived expressions from top to bottom. Each may use those above it, which are known by then.
void read_derived(const Node& table, DerivedExpressions& derived) {
  for (const auto& [name, node] : table.table())
    if (!derived.add(name, node.expression().text())) too_long(node);
}

}  // namespace

void Node::fail(const std::string& problem) const {
  std::string where = document_->file;
  if (line_ > 0 && !path_.empty()) where += fmt::format(":{}", line_);
  if (!path_.empty()) where += ": " + path_;
  throw ManifestError(where + ": " + problem);
}

const Node::Table& Node::table() const {
  if (const auto* content = std::get_if<Table>(&content_)) return *content;
  fail("expected a table");
}

const Node::Array& Node::array() const {
  if (const auto* content = std::get_if<Array>(&content_)) return *content;
  if (is_table()) fail(fmt::format("expected an array; as a list of tables each begins with [[{}]]", path_));
  fail("expected an array");
}

const search::Value& Node::value() const {
  if (const auto* content = std::get_if<search::Value>(&content_)) return *content;
  fail("expected a single value, not an array or a table");
}

const std::string& Node::string() const {
  if (const auto* content = std::get_if<search::Value>(&content_))
    if (const auto* text = std::get_if<std::string>(content)) return *text;
  fail("expected a string");
}

std::int64_t Node::integer() const {
  if (const auto* content = std::get_if<search::Value>(&content_))
    if (const auto* number = std::get_if<std::int64_t>(content)) return *number;
  fail("expected an integer");
}

double Node::number() const {
  if (const auto* content = std::get_if<search::Value>(&content_)) {
    if (const auto* number = std::get_if<std::int64_t>(content)) return static_cast<double>(*number);
    if (const auto* number = std::get_if<double>(content)) return *number;
  }
  fail("expected a number");
}

bool Node::boolean() const {
  if (const auto* content = std::get_if<search::Value>(&content_))
    if (const auto* flag = std::get_if<bool>(content)) return *flag;
  fail("expected true or false");
}

search::Expression Node::expression() const {
  const search::Value& content = value();
  const auto* text = std::get_if<std::string>(&content);
  if (!text) return search::Expression::constant(content);
  try {
    search::Expression as_written = search::Expression::parse(*text);  // first, for an error's column
    const std::string expanded = document_->derived.expand(*text);
    if (expanded.size() > DerivedExpressions::most_length) too_long(*this);
    return expanded == *text ? as_written : search::Expression::parse(expanded);
  } catch (const search::ExpressionError& error) {
    fail(fmt::format("expected an expression, but in '{}' at column {}: {}", *text, error.column(), error.what()));
  }
}

std::vector<std::string> Node::strings() const {
  if (!is_array()) return {string()};
  std::vector<std::string> result;
  for (const Node& item : array()) result.push_back(item.string());
  return result;
}

std::vector<search::Expression> Node::expressions() const {
  if (!is_array()) return {expression()};
  std::vector<search::Expression> result;
  for (const Node& item : array()) result.push_back(item.expression());
  return result;
}

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, node] : table())
    if (name == key) return &node;
  return nullptr;
}

const Node& Node::at(std::string_view key) const {
  if (const Node* node = find(key)) return *node;
  fail(fmt::format("the key '{}' is missing", key));
}

void Node::allow_only(const std::vector<std::string>& keys) const {
  for (const auto& [name, node] : table())
    if (std::ranges::find(keys, name) == keys.end())
      node.fail(
          fmt::format("unknown key{}; expected one of {}", search::did_you_mean(name, keys), fmt::join(keys, ", ")));
}

Node read_toml(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text)
    throw ManifestError(fmt::format("{}: cannot be read; a template is a folder with a template.toml", file.string()));
  return parse_toml(*text, file.string());
}

Node parse_toml(const std::string& text, const std::string& name) {
  if (const auto fault = toml_fault(text))
    throw ManifestError(fmt::format("{}:{}: expected TOML: {}", name, fault->line, fault->what));
  const auto document = std::make_shared<Document>();
  document->file = name;
  try {
    const toml::table content = toml::parse(text, name);
    Node root{document, 1, "", convert_table(document, "", content)};
    if (const Node* derived = root.find("derived")) read_derived(*derived, document->derived);
    return root;
  } catch (const toml::parse_error& error) {
    throw ManifestError(
        fmt::format("{}:{}: expected TOML: {}", name, error.source().begin.line, std::string(error.description())));
  }
}

}  // namespace warptune::tuner
