// Declares the keys of manifests. Each table of a manifest has a KeyTable here (keys.cpp), and each key is declared
// once. The reader, the check of names, the content that is hashed, `init`'s writer and `judge` use these tables; the
// JSON Schema and the tables of MANIFEST.md are generated from them (manifest_pages_test.cpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/kernel/manifest/document.h"

namespace warptune::tuner {

struct KeyTable;

// These are the types of elements; `int` and `unsigned` are other names of two of them.
inline constexpr char element_types[] = "float double half bfloat16 int8 uint8 int16 uint16 int32 uint32 int64 uint64";

// A Form says what the value of a key looks like.
enum class Form {
  boolean,
  integer,
  positive,  // an integer of at least 1
  number,
  value,  // a string, number or boolean
  text,
  identifier,          // letters, digits, '_' and '-'
  type,                // of elements
  word,                // one of Key::words
  word_or_expression,  // one of Key::words, or an expression that gives one
  path,                // of a file, relative to the manifest
  texts,               // an array of strings, or one string
  words,               // an array of Key::words
  numbers,             // an array
  pair,                // two numbers
  values,              // an array, at least one
  range,               // two or three integers
  powers,              // two integers of at least 1
  expression,
  expressions,  // an array, or a single one
  dimensions,   // the same, at least one
  extents,      // the same, of whole numbers
  conditions,   // an array of expressions
  table,        // the keys of Key::table
  tables,       // names, each with a table of the keys of Key::table
  steps,        // an array of such tables, each of one kind but `steps`
  launches,     // an array of such tables
  sizes,        // names, each with a positive integer or such a table
  variants,     // names, each with an array of strings, integers or booleans
  named_values,
  named_expressions,
  presets,  // names, each with named values
};

// Uses says which names a value may use, in its expressions or as a list.
enum class Uses {
  nothing,
  problem,        // sizes, variants and device limits
  configuration,  // and parameters, which a reference has none of
  pass,           // and `pass`
  launch,         // and `pass`, where the launch is repeated
  measured,       // a configuration's names, and what was measured of it
  arguments,      // of the manifest
  buffers,        // and temporaries
  passed,         // and tensor maps
  elsewhere,      // what the code says that reads the value
};

// Presence says whether a table must have a key.
enum class Presence {
  optional,
  required,
  one,   // exactly one of the keys of this presence is there
  some,  // at least one of them
};

struct KeyDetails {
  Presence presence = Presence::optional;
  const char* words = "";           // that the value may be, with blanks between them
  const KeyTable* table = nullptr;  // the keys of the value's own tables
  const char* of = "";              // the kinds of table that have the key; empty: all
  bool describes = false;           // what is measured does not depend on it, or a session's key has it anyway
};

struct Key {
  std::string_view name;
  Form form;
  Uses uses;
  const char* meaning;  // a sentence; empty: what the key's table means
  KeyDetails details = {};
};

// A KeyTable holds the keys that a table of a manifest may have. Some tables are of one of several kinds: a launch is a
// kernel, a copy …
struct KeyTable {
  const char* name;
  const char* meaning;
  std::span<const Key> keys;
  const char* kinds = "";  // with blanks between them

  // Returns the key of this name. Throws std::out_of_range if there is none.
  const Key& operator[](std::string_view name) const;
  // Returns the keys that a table of this kind has; all keys for an empty kind.
  std::vector<const Key*> of_kind(std::string_view kind) const;
};

// Returns the words of a text with blanks between them.
std::vector<std::string> words_in(std::string_view text);
// Returns "a, b or c".
std::string one_of(const std::vector<std::string>& words);

// Fails on the first key that a table of this kind does not have, and lists those that it has.
void check_keys(const Node& node, const KeyTable& table, std::string_view kind = {});
// Returns the node's string, which is one of the key's words. Fails otherwise.
const std::string& read_word(const Node& node, const Key& key);
// Returns the keys of this presence by name.
std::vector<std::string> keys_of(const KeyTable& table, Presence presence);

namespace keys {

extern const KeyTable manifest, size, parameter, argument, fill, tolerance, function, temporary, tensor_map, launch,
    copy, pages, reference, metric, work, technique;

}  // namespace keys

}  // namespace warptune::tuner
