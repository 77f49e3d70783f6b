// Makes the texts of manifest_content.h. Rejected: hashing the KernelTemplate, because each new field would change
// every hash.
#include "tuner/kernel/manifest/manifest_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tuner/kernel/manifest/document.h"
#include "tuner/kernel/manifest/keys.h"
#include "tuner/kernel/problem.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

bool describes(const KeyTable& table, std::string_view name) {
  return std::ranges::any_of(table.keys, [&](const Key& key) { return key.details.describes && key.name == name; });
}

bool is_left_out(const std::string& path) {
  return describes(keys::manifest, path) ||
         (path.starts_with("parameters.") && describes(keys::parameter, path.substr(path.rfind('.') + 1)));
}

void append(const Node& node, std::string& text) {
  if (node.is_table()) {
    text += "{";
    for (const auto& [name, member] : node.table()) {
      if (is_left_out(member.path())) continue;
      text += fmt::format("{}:{}=", name.size(), name);
      append(member, text);
    }
    text += "}";
  } else if (node.is_array()) {
    text += "[";
    for (const Node& item : node.array()) append(item, text);
    text += "]";
  } else {
    const std::string value = search::to_text(node.value());
    text += fmt::format("{}:{}:{};", node.value().index(), value.size(), value);
  }
}

}  // namespace

std::string measured_content(const std::filesystem::path& manifest) {
  if (manifest.extension() == ".json") return manifest_without_comments(manifest);
  std::string text;
  append(read_toml(manifest), text);
  return text;
}

// '#' inside a string is rare and only makes the hash stricter or equal for both versions.
std::string manifest_without_comments(const std::filesystem::path& manifest) {
  const auto toml = read_file(manifest);
  if (!toml) throw RequestError(fmt::format("cannot read {}, which a session's key is made of", manifest.string()));
  std::istringstream lines(*toml);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const std::size_t last = line.find_last_not_of(" \t\r");
    result += line.substr(first, last - first + 1) + '\n';
  }
  return result;
}

}  // namespace warptune::tuner
