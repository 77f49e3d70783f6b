// Converts JSON to nodes.
#include "tuner/kernel/manifest/json_document.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tuner/kernel/json_values.h"
#include "tuner/kernel/manifest/manifest.h"

namespace warptune::tuner {

namespace {

constexpr int no_line = 0;

search::Value json_scalar(const Json& json, const std::string& file, const std::string& path) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw ManifestError(fmt::format("{}: {}: {} exceeds 64 bits", file, path, json.dump()));
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

Node convert_json(const std::shared_ptr<const Document>& document, const std::string& path, const Json& json) {
  if (json.is_object()) {
    Node::Table table;
    for (const auto& [key, value] : json.items())
      if (!value.is_null())
        table.emplace_back(key, convert_json(document, path.empty() ? key : path + "." + key, value));
    return {document, no_line, path, std::move(table)};
  }
  if (json.is_array()) {
    Node::Array array;
    for (const Json& item : json)
      if (!item.is_null()) array.push_back(convert_json(document, fmt::format("{}[{}]", path, array.size()), item));
    return {document, no_line, path, std::move(array)};
  }
  return {document, no_line, path, json_scalar(json, document->file, path)};
}

}  // namespace

Node json_node(const Json& json, std::string file) {
  return convert_json(std::make_shared<const Document>(Document{std::move(file), {}}), "", json);
}

}  // namespace warptune::tuner
