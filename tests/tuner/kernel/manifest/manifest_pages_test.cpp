// Generates the JSON Schema of manifests and the tables of MANIFEST.md from the table of keys, and compares them with
// the files in templates/. With WARPTUNE_WRITE_PAGES in the environment the files are written instead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/support/places.h"
#include "tuner/kernel/manifest/keys.h"
#include "tuner/system/files.h"

namespace warptune::tuner {
namespace {

using Json = nlohmann::ordered_json;

constexpr const KeyTable* all_tables[] = {&keys::manifest,  &keys::size,      &keys::parameter, &keys::argument,
                                          &keys::fill,      &keys::tolerance, &keys::function,  &keys::temporary,
                                          &keys::launch,    &keys::copy,      &keys::pages,     &keys::tensor_map,
                                          &keys::reference, &keys::technique, &keys::metric,    &keys::work};

std::string over(Uses uses) {
  switch (uses) {
    case Uses::problem:
      return " over the problem";
    case Uses::configuration:
      return " over the configuration";
    case Uses::pass:
      return " over the configuration and `pass`";
    case Uses::launch:
      return " over the configuration and `pass`";
    case Uses::measured:
      return " over the configuration and what was measured";
    default:
      return "";
  }
}

std::string quoted_words(const Key& key) {
  std::vector<std::string> words = words_in(key.details.words);
  for (std::string& word : words) word = "`" + word + "`";
  return one_of(words);
}

// Returns what a value looks like, in words.
std::string type_text(const Key& key) {
  const std::string names = over(key.uses);
  switch (key.form) {
    case Form::boolean:
      return "boolean";
    case Form::integer:
      return "integer";
    case Form::positive:
      return "positive integer";
    case Form::number:
      return "number";
    case Form::value:
      return "value";
    case Form::text:
    case Form::identifier:
      return "string";
    case Form::type:
      return "type";
    case Form::word:
      return quoted_words(key);
    case Form::word_or_expression:
      return quoted_words(key) + ", or an expression" + names;
    case Form::path:
      return "file";
    case Form::texts:
      return names.empty() && key.uses != Uses::nothing && key.uses != Uses::elsewhere ? "array of names"
                                                                                       : "string or array of strings";
    case Form::words:
      return "array of " + quoted_words(key);
    case Form::numbers:
      return "array of numbers";
    case Form::pair:
      return "two numbers";
    case Form::values:
      return "array";
    case Form::range:
      return "two or three integers";
    case Form::powers:
      return "two integers";
    case Form::expression:
      return "expression" + names;
    case Form::expressions:
    case Form::extents:
      return "array of expressions" + names;
    case Form::dimensions:
      return fmt::format("expression{}, or an array of up to three", names);
    case Form::conditions:
      return "array of expressions" + names;
    case Form::table:
      return "table";
    case Form::tables:
    case Form::presets:
      return "tables by name";
    case Form::steps:
    case Form::launches:
      return "array of tables";
    case Form::sizes:
    case Form::variants:
    case Form::named_values:
      return "values by name";
    case Form::named_expressions:
      return fmt::format("expressions{}, by name", names);
  }
  return "";
}

std::string meaning_of(const Key& key) {
  return *key.meaning ? key.meaning : key.details.table->meaning;
}

// The page.

std::string required_text(const Key& key) {
  const std::string of = key.details.of;
  if (key.details.presence != Presence::required || of == key.name) return "";
  return of.empty() || of.find(' ') != of.npos ? ", required" : fmt::format(", required with `{}`", of);
}

std::string page_table(const KeyTable& table) {
  std::string text = "| key | type | meaning |\n| --- | --- | --- |\n";
  for (const Key& key : table.keys)
    text += fmt::format("| `{}` | {}{} | {} |\n", key.name, type_text(key), required_text(key), meaning_of(key));
  return text;
}

std::string page_with_tables(std::string page) {
  for (const KeyTable* table : all_tables) {
    const std::string begin = fmt::format("<!-- keys of {}, from tuner/kernel/manifest/keys.cpp -->\n", table->name);
    const std::size_t from = page.find(begin);
    if (from == page.npos) ADD_FAILURE() << "MANIFEST.md has no place for the keys of " << table->name;
    if (from == page.npos) continue;
    const std::size_t rows = page.find_first_not_of('\n', from + begin.size());
    std::size_t end = rows;
    while (page[end] == '|') end = page.find('\n', end) + 1;
    page.replace(from, end - from, begin + "\n" + page_table(*table));
  }
  return page;
}

// The schema.

Json array_of(Json items, int least = 0, int most = 0) {
  Json schema{{"type", "array"}, {"items", std::move(items)}};
  if (least > 0) schema["minItems"] = least;
  if (most > 0) schema["maxItems"] = most;
  return schema;
}

Json typed(const Json& type) {
  return Json{{"type", type}};
}

Json by_name(const Json& each) {
  return Json{{"type", "object"}, {"additionalProperties", each}};
}

Json either(const Json& a, const Json& b) {
  return Json{{"anyOf", Json::array({a, b})}};
}

Json definition_of(const KeyTable& table, const std::string& kind = {}) {
  return Json{{"$ref", fmt::format("#/definitions/{}{}{}", table.name, kind.empty() ? "" : "_", kind)}};
}

Json any_kind(const KeyTable& table, bool with_last) {
  Json list = Json::array();
  const auto kinds = words_in(table.kinds);
  for (std::size_t i = 0; i + (with_last ? 0 : 1) < kinds.size(); ++i) list.push_back(definition_of(table, kinds[i]));
  return Json{{"anyOf", list}};
}

const Json scalar{{"type", {"string", "number", "boolean"}}};

Json variants_schema() {
  Json schema = by_name(array_of(typed({"string", "integer", "boolean"}), 1));
  schema["propertyNames"] = {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}};
  return schema;
}

// Returns the schema of a value that holds tables.
Json tables_schema(const Key& key) {
  const KeyTable& table = *key.details.table;
  switch (key.form) {
    case Form::table:
      return definition_of(table, *table.kinds ? std::string(key.name) : "");
    case Form::tables: {
      Json schema = by_name(definition_of(table));
      if (key.details.presence == Presence::required) schema["minProperties"] = 1;
      return schema;
    }
    case Form::sizes: {
      Json size = any_kind(table, true);
      size["anyOf"].insert(size["anyOf"].begin(), Json{{"type", "integer"}, {"minimum", 1}});
      return by_name(size);
    }
    default:
      return array_of(any_kind(table, key.form == Form::launches), 1);
  }
}

Json value_schema(const Key& key) {
  switch (key.form) {
    case Form::boolean:
      return typed("boolean");
    case Form::integer:
      return typed("integer");
    case Form::positive:
      return Json{{"type", "integer"}, {"minimum", 1}};
    case Form::number:
      return typed("number");
    case Form::text:
    case Form::path:
      return typed("string");
    case Form::identifier:
      return Json{{"type", "string"}, {"pattern", "^[A-Za-z0-9_-]+$"}};
    case Form::type: {
      Json types = words_in(element_types);
      for (const char* alias : {"int", "unsigned"}) types.push_back(alias);
      return Json{{"enum", types}};
    }
    case Form::word:
      return Json{{"enum", words_in(key.details.words)}};
    case Form::word_or_expression:
      return either(Json{{"enum", words_in(key.details.words)}}, typed("string"));
    case Form::texts:
      return either(typed("string"), array_of(typed("string")));
    case Form::words:
      return array_of(Json{{"enum", words_in(key.details.words)}}, 1);
    case Form::numbers:
      return array_of(typed({"number", "boolean"}));
    case Form::pair:
      return array_of(typed("number"), 2, 2);
    case Form::values:
      return array_of(scalar, 1);
    case Form::range:
      return array_of(typed("integer"), 2, 3);
    case Form::powers:
      return array_of(Json{{"type", "integer"}, {"minimum", 1}}, 2, 2);
    case Form::value:
    case Form::expression:
      return scalar;
    case Form::expressions:
      return either(scalar, array_of(scalar));
    case Form::extents:
      return either(typed({"string", "integer"}), array_of(typed({"string", "integer"})));
    case Form::dimensions:
      return either(scalar, array_of(scalar, 1));
    case Form::conditions:
      return array_of(typed({"string", "boolean"}));
    case Form::variants:
      return variants_schema();
    case Form::named_values:
    case Form::named_expressions:
      return by_name(scalar);
    case Form::presets:
      return by_name(by_name(scalar));
    default:
      return tables_schema(key);
  }
}

// Returns the schema of a key, which says what an editor shows. Beside a reference it would be ignored.
Json key_schema(const Key& key) {
  Json schema = value_schema(key);
  if (schema.contains("$ref")) return schema;
  const std::string type = type_text(key);
  const bool computed = type.find("expression") != type.npos && key.form != Form::word_or_expression;
  schema["description"] = meaning_of(key) + (computed ? fmt::format(" ({})", type) : "");
  return schema;
}

Json table_schema(const KeyTable& table, const std::string& kind = {}) {
  Json schema{{"type", "object"}, {"description", table.meaning}, {"properties", Json::object()}};
  Json required = Json::array(), alternatives = Json::array();
  const char* how_many = "oneOf";
  for (const Key* key : table.of_kind(kind)) {
    schema["properties"][key->name] = key_schema(*key);
    const Presence presence = key->details.presence;
    if (presence == Presence::required) required.push_back(key->name);
    if (presence == Presence::some) how_many = "anyOf";
    if (presence == Presence::some || presence == Presence::one)
      alternatives.push_back({{"required", Json::array({key->name})}});
  }
  schema["required"] = required;
  schema["additionalProperties"] = false;
  if (!alternatives.empty()) schema[how_many] = alternatives;
  return schema;
}

Json whole_schema() {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Warptune's manifest (template.toml)"}};
  schema.update(table_schema(keys::manifest));
  for (const KeyTable* table : all_tables) {
    if (table == &keys::manifest) continue;
    if (!*table->kinds) schema["definitions"][table->name] = table_schema(*table);
    for (const std::string& kind : words_in(table->kinds))
      schema["definitions"][fmt::format("{}_{}", table->name, kind)] = table_schema(*table, kind);
  }
  schema["definitions"]["reference"]["dependencies"] = {{"function", {"arguments"}}};
  return schema;
}

// Writes what fits into a line as one line.
std::string shown(const Json& json, const std::string& indent = "") {
  const std::string compact = json.dump(-1, ' ', false);
  if (indent.size() + compact.size() < 110 || !json.is_structured()) return compact;
  std::string text;
  for (const auto& [key, value] : json.items())
    text += fmt::format("{}\n{}  {}{}", text.empty() ? "" : ",", indent,
                        json.is_object() ? Json(key).dump() + ": " : "", shown(value, indent + "  "));
  return fmt::format("{}{}\n{}{}", json.is_object() ? "{" : "[", text, indent, json.is_object() ? "}" : "]");
}

std::string file_in_templates(const char* name) {
  return source_folder() + "/templates/" + name;
}

void expect_file(const char* name, const std::string& text) {
  if (std::getenv("WARPTUNE_WRITE_PAGES")) std::ofstream(file_in_templates(name)) << text;
  EXPECT_TRUE(read_file(file_in_templates(name)) == text)
      << name
      << " is not what the table of keys says; WARPTUNE_WRITE_PAGES=1 tuner_tests --gtest_filter='ManifestPages.*'";
}

TEST(ManifestPages, TheSchemaIsWhatTheTableOfKeysSays) {
  expect_file("manifest.schema.json", shown(whole_schema()) + "\n");
}

TEST(ManifestPages, TheTablesOfTheReferenceAreWhatTheTableOfKeysSays) {
  expect_file("MANIFEST.md", page_with_tables(read_file(file_in_templates("MANIFEST.md")).value()));
}

}  // namespace
}  // namespace warptune::tuner
