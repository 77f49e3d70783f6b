// Converts wisdom to JSON and back, checks what it reads, and converts what schema 1 had in place of variants by the
// table of the kinds that the library's templates numbered.
#include "tuner/results/wisdom/wisdom_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "db/bounded_json.h"
#include "db/settled.h"
#include "tuner/kernel/json_values.h"
#include "tuner/results/wisdom/wisdom.h"
#include "tuner/system/files.h"

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

// The library's templates had kinds of a problem as sizes numbered from 1 (PRECISION=2 was double). Turns those of the
// kernel into variants; other sizes, and those of other kernels, stay.
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

Json json_of(const Provenance& provenance) {
  return {{"session", provenance.session},
          {"trial", provenance.trial},
          {"measured_at", provenance.measured_at},
          {"tool_version", provenance.tool_version},
          {"uuid", provenance.uuid},
          {"driver", provenance.driver},
          {"compiler", provenance.compiler},
          {"options", provenance.options},
          {"objective", provenance.objective},
          {"policy", provenance.policy},
          {"source_hash", provenance.source_hash},
          {"manifest_hash", provenance.manifest_hash}};
}

Provenance provenance_from(const Json& json) {
  Provenance provenance;
  provenance.session = json.contains("session") ? integer_from_json(json.at("session")) : 0;
  provenance.trial = json.contains("trial") ? integer_from_json(json.at("trial")) : 0;
  const auto text = [&](const char* key) { return json.value(key, std::string()); };
  provenance.measured_at = text("measured_at");
  provenance.tool_version = text("tool_version");
  provenance.uuid = text("uuid");
  provenance.driver = text("driver");
  provenance.compiler = text("compiler");
  provenance.options = text("options");
  provenance.objective = text("objective");
  provenance.policy = text("policy");
  provenance.source_hash = text("source_hash");
  provenance.manifest_hash = text("manifest_hash");
  return provenance;
}

Json json_of(const WisdomEntry& entry) {
  Json json;
  json["device"] = entry.device;
  json["backend"] = entry.backend;
  json["compute_capability"] = entry.compute_capability;
  json["sizes"] = json_from_values(entry.sizes);
  json["variants"] = json_from_values(entry.variants);
  json["configuration"] = json_from_values(entry.values);
  json["time_ms"] = entry.time_ms;
  const auto error = db::known_error(entry.relative_error);
  json["relative_error"] = error ? Json(*error) : Json(nullptr);
  if (entry.gain) json["gain"] = *entry.gain;
  json["provenance"] = json_of(entry.provenance);
  if (!entry.launch_attributes.empty()) json["launch_attributes"] = entry.launch_attributes;
  return json;
}

// Reads a compute capability, 90 for 9.0. What is larger by orders of magnitude is no capability, and fits no int of a
// header.
std::int64_t capability_from(const Json& json) {
  constexpr std::int64_t most = 99'999;
  const std::int64_t capability = integer_from_json(json);
  if (capability < 0 || capability > most)
    throw Json::out_of_range::create(406, "compute_capability: expected 90 for 9.0, found " + json.dump(), nullptr);
  return capability;
}

search::NamedValues sizes_from(const Json& json) {
  search::NamedValues sizes = values_from_json(json);
  for (const auto& [name, value] : sizes)
    if (!std::holds_alternative<std::int64_t>(value))
      throw Json::type_error::create(302, "sizes: " + name + " is no integer", nullptr);
  return sizes;
}

AttributesByKernel attributes_from(const Json& json, const char* key) {
  AttributesByKernel all;
  const auto found = json.find(key);
  if (found == json.end()) return all;
  for (const auto& [kernel, attributes] : found->get_ref<const Json::object_t&>())
    for (const auto& [name, value] : attributes.get_ref<const Json::object_t&>())
      all[kernel][name] = integer_from_json(value);
  return all;
}

WisdomEntry entry_from(const Json& json) {
  WisdomEntry entry;
  entry.device = json.at("device").get<std::string>();
  entry.backend = json.value("backend", std::string());
  entry.compute_capability = capability_from(json.at("compute_capability"));
  entry.sizes = sizes_from(json.at("sizes"));
  if (const auto variants = json.find("variants"); variants != json.end()) entry.variants = values_from_json(*variants);
  entry.values = values_from_json(json.at("configuration"));
  entry.time_ms = json.value("time_ms", 0.0);
  if (const auto error = json.find("relative_error"); error != json.end() && !error->is_null())
    entry.relative_error = error->get<double>();
  if (const auto gain = json.find("gain"); gain != json.end()) entry.gain = gain->get<double>();
  if (const auto provenance = json.find("provenance"); provenance != json.end())
    entry.provenance = provenance_from(*provenance);
  entry.launch_attributes = attributes_from(json, "launch_attributes");
  return entry;
}

Json json_of(const std::vector<search::Parameter>& variants) {
  Json json = Json::object();
  for (const search::Parameter& variant : variants) {
    json[variant.name] = Json::array();
    for (const search::Value& value : variant.values)
      json[variant.name].push_back(json_from_values({{"value", value}}).at("value"));
  }
  return json;
}

Json json_of(const SizeRule& rule) {
  Json weights = Json::object();
  for (const auto& [name, weight] : rule.weights) weights[name] = weight;
  return {{"weights", weights},
          {"left_out", rule.left_out},
          {"mean_regret", rule.mean_regret},
          {"worst_regret", rule.worst_regret}};
}

SizeRule rule_from(const Json& json) {
  SizeRule rule;
  for (const auto& [name, weight] : json.at("weights").get_ref<const Json::object_t&>()) {
    const std::int64_t times = integer_from_json(weight);
    if (times < 0 || times > SizeRule::most_weight)
      throw Json::out_of_range::create(406, "prediction: expected a weight of 0 to 8, found " + weight.dump(), nullptr);
    rule.weights[name] = static_cast<int>(times);
  }
  rule.left_out = json.at("left_out").get<std::size_t>();
  rule.mean_regret = json.at("mean_regret").get<double>();
  rule.worst_regret = json.at("worst_regret").get<double>();
  return rule;
}

std::vector<search::Parameter> domains_from(const Json& json) {
  std::vector<search::Parameter> variants;
  for (const auto& [name, list] : json.get_ref<const Json::object_t&>()) {
    if (!list.is_array() || list.empty())
      throw Json::type_error::create(302, "variants: " + name + " has no list of values", nullptr);
    search::Parameter variant{name, {}};
    for (const Json& value : list)
      variant.values.push_back(values_from_json(Json::object({{"value", value}})).front().second);
    variants.push_back(std::move(variant));
  }
  return variants;
}

bool same_names(const search::NamedValues& a, const search::NamedValues& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, value] : a)
    if (!search::find_value(b, name)) return false;
  return true;
}

// Throws WisdomError for a variant that no entry has: headers give each entry a value of each variant that the file
// offers.
void check_variants(const Wisdom& wisdom, const std::string& name) {
  for (const search::Parameter& variant : wisdom.variants)
    if (!search::find_value(wisdom.entries.front().variants, variant.name))
      throw WisdomError(fmt::format(
          "{}: no entry says which {} it was tuned for, though the file lists that variant's values; export the wisdom "
          "again from one version of the template",
          name, variant.name));
}

// Throws WisdomError unless all entries have the same members: everything that chooses among entries or makes a struct
// of them relies on that.
void check(const Wisdom& wisdom, const std::string& name) {
  if (wisdom.entries.empty()) return;
  check_variants(wisdom, name);
  const WisdomEntry& first = wisdom.entries.front();
  const search::NamedValues& parameters = wisdom.defaults.empty() ? first.values : wisdom.defaults;
  for (const WisdomEntry& entry : wisdom.entries)
    if (!same_names(entry.values, parameters) || !same_names(entry.sizes, first.sizes) ||
        !same_names(entry.variants, first.variants))
      throw WisdomError(fmt::format(
          "{}: the entry for {} at {} has other parameters, sizes or variants than the rest of the file; export the "
          "wisdom again from one version of the template",
          name, entry.device, search::to_text(entry.sizes)));
}

Wisdom wisdom_from(const Json& json, const std::string& name) {
  const std::string schema = json.is_object() ? json.value("schema", std::string()) : std::string();
  if (schema != wisdom_schema && schema != old_wisdom_schema)
    throw WisdomError(fmt::format(
        "{}: expected a wisdom file of schema {}, found {}; `warptune export KERNEL --format wisdom` writes one", name,
        wisdom_schema, schema.empty() ? "none" : "'" + schema + "'"));
  Wisdom wisdom;
  wisdom.kernel = json.at("kernel").get<std::string>();
  if (const Json& known = json.at("default"); !known.is_null()) wisdom.defaults = values_from_json(known);
  if (const auto variants = json.find("variants"); variants != json.end()) wisdom.variants = domains_from(*variants);
  wisdom.default_launch_attributes = attributes_from(json, "default_launch_attributes");
  if (const auto rule = json.find("prediction"); rule != json.end()) wisdom.rule = rule_from(*rule);
  for (const Json& entry : json.at("entries")) wisdom.entries.push_back(entry_from(entry));
  if (schema == old_wisdom_schema) name_numbered_kinds(wisdom);
  check(wisdom, name);
  normalize(wisdom);
  return wisdom;
}

// Returns JSON as text. A text from a store need not be UTF-8; what is not is replaced.
std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string wisdom_text(const Wisdom& wisdom) {
  std::string text =
      fmt::format("{{\"schema\": \"{}\",\n \"kernel\": {},\n \"default\": {},\n \"variants\": {},\n{}{} \"entries\": [",
                  wisdom_schema, dumped(wisdom.kernel),
                  dumped(wisdom.defaults.empty() ? Json(nullptr) : json_from_values(wisdom.defaults)),
                  dumped(json_of(wisdom.variants)),
                  wisdom.rule ? fmt::format(" \"prediction\": {},\n", dumped(json_of(*wisdom.rule))) : "",
                  wisdom.default_launch_attributes.empty()
                      ? ""
                      : fmt::format(" \"default_launch_attributes\": {},\n", dumped(wisdom.default_launch_attributes)));
  const char* separator = "\n  ";
  for (const WisdomEntry& entry : wisdom.entries) {
    text += separator + dumped(json_of(entry));
    separator = ",\n  ";
  }
  return text + "\n ]}\n";
}

Wisdom parse_wisdom(const std::string& text, const std::string& name) {
  try {
    return wisdom_from(db::parse_json<Json>(text), name);
  } catch (const Json::exception& error) {
    throw WisdomError(fmt::format("{}: this is no wisdom file, which `warptune export --format wisdom` writes: {}",
                                  name, words_of(error)));
  }
}

Wisdom read_wisdom(const std::filesystem::path& file) {
  if (is_folder(file)) throw WisdomError(fmt::format("{} is a folder; a wisdom file is expected", file.string()));
  const auto text = read_file(file);
  if (!text) throw WisdomError(fmt::format("cannot read the wisdom file {}", file.string()));
  return parse_wisdom(*text, file.string());
}

}  // namespace warptune::tuner
