// Has the table of the kinds that the library's templates numbered.
#include "tuner/results/wisdom/numbered_kinds.h"

#include <algorithm>
#include <string_view>

namespace warptune::tuner {

namespace {

struct NumberedKind {
  std::string_view kernel, name;
  std::vector<search::Value> values;  // of the numbers 1, 2 …
  std::string_view today = name;      // what the template calls it now
};

search::Value word(const char* text) {
  return std::string(text);
}

// db/schema's migration to variants has the same table, for stores.
const std::vector<NumberedKind>& numbered_kinds() {
  static const std::vector<NumberedKind> kinds = {
      {"bfs", "PATTERN", {word("uniform"), word("power_law")}},
      {"conv_layer", "PADDING", {word("none"), word("same"), word("full")}, "PAD"},
      {"convolution2d", "SEPARABLE", {false, true}},
      {"gemm", "PRECISION", {word("float"), word("double")}},
      {"gemm", "TRANSPOSE_A", {false, true}},
      {"gemm", "TRANSPOSE_B", {false, true}},
      {"gemm_tensor", "PRECISION", {word("tf32"), word("half"), word("bfloat16")}},
      {"histogram", "KIND", {word("bytes"), word("integers")}},
      {"histogram", "SKEW", {word("uniform"), word("crowded")}},
      {"radix_sort", "KIND", {word("keys"), word("pairs")}},
      {"scan", "KIND", {word("inclusive"), word("exclusive")}},
      {"segmented_scan", "KIND", {word("flags"), word("identifiers")}},
      {"spmv", "PATTERN", {word("band"), word("power_law"), word("scattered_band")}},
  };
  return kinds;
}

// Takes the entry's number out of its sizes, and returns the value behind it; nullptr if there is none.
const search::Value* take_kind(const NumberedKind& kind, WisdomEntry& entry) {
  const auto size = std::ranges::find(entry.sizes, kind.name, &search::NamedValues::value_type::first);
  if (size == entry.sizes.end()) return nullptr;
  const auto* number = std::get_if<std::int64_t>(&size->second);
  if (!number || *number < 1 || *number > static_cast<std::int64_t>(kind.values.size())) return nullptr;
  const search::Value& value = kind.values[static_cast<std::size_t>(*number - 1)];
  entry.sizes.erase(size);
  return &value;
}

}  // namespace

void name_numbered_kinds(Wisdom& wisdom) {
  for (const NumberedKind& kind : numbered_kinds()) {
    if (kind.kernel != wisdom.kernel) continue;
    bool found = false;
    for (WisdomEntry& entry : wisdom.entries) {
      const search::Value* value = take_kind(kind, entry);
      if (value) entry.variants.emplace_back(std::string(kind.today), *value);
      found |= value != nullptr;
    }
    if (found) wisdom.variants.push_back({std::string(kind.today), kind.values});
  }
}

}  // namespace warptune::tuner
