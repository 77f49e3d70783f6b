// Converts TOML to JSON and back, and makes relative paths absolute.
#include "tuner/results/judge/manifest_json.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tuner/kernel/manifest/document.h"
#include "tuner/kernel/manifest/keys.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner::judge {

namespace {

namespace fs = std::filesystem;

Json json_of(const Node& node) {
  if (node.is_table()) {
    Json object = Json::object();
    for (const auto& [name, member] : node.table()) object[name] = json_of(member);
    return object;
  }
  if (node.is_array()) {
    Json array = Json::array();
    for (const Node& item : node.array()) array.push_back(json_of(item));
    return array;
  }
  return std::visit([](const auto& value) { return Json(value); }, node.value());
}

std::string absolute_path(const fs::path& folder, const std::string& path) {
  return (folder / path).lexically_normal().string();
}

// Makes the paths of files absolute, in a table of these keys and in those within it.
void make_absolute(Json& node, const KeyTable& table, const fs::path& folder) {
  if (!node.is_object()) return;
  for (const Key& key : table.keys) {
    const auto member = node.find(key.name);
    if (member == node.end()) continue;
    if (key.form == Form::path && member->is_string()) *member = absolute_path(folder, member->get<std::string>());
    if (!key.details.table) continue;
    if (key.form == Form::table)
      make_absolute(*member, *key.details.table, folder);
    else
      for (Json& each : *member) make_absolute(each, *key.details.table, folder);
  }
}

// Makes the folders of options absolute: "-Ifolder", and what follows "-I" and its like.
void make_options_absolute(Json& options, const fs::path& folder) {
  std::string last;
  for (Json& option : options) {
    const std::string text = option.is_string() ? option.get<std::string>() : std::string();
    if (last == "-I" || last == "-isystem" || last == "-include") option = absolute_path(folder, text);
    if (text.starts_with("-I") && text.size() > 2) option = "-I" + absolute_path(folder, text.substr(2));
    last = text;
  }
}

void give_files_names(Json& manifest, const fs::path& folder) {
  if (!manifest.contains("source")) manifest["source"] = "kernel.cu";
  if (Json& reference = manifest["reference"];
      reference.is_object() && !reference.value("default_configuration", false))
    if (!reference.contains("source")) reference["source"] = "reference.cu";
  make_absolute(manifest, keys::manifest, folder);
  for (const char* key : {"options", "options_cuda", "options_host"})
    if (manifest.contains(key)) make_options_absolute(manifest[key], folder);
  Json directories = Json::array({folder.string()});
  for (const Json& each : manifest.value("include_directories", Json::array()))
    directories.push_back(absolute_path(folder, each.get<std::string>()));
  manifest["include_directories"] = directories;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      result += c;
  }
  return result + '"';
}

std::string inline_text(const Json& value) {
  if (value.is_object()) {
    std::string text;
    for (const auto& [name, member] : value.items())
      text += (text.empty() ? " " : ", ") + quoted(name) + " = " + inline_text(member);
    return "{" + text + " }";
  }
  if (value.is_array()) {
    std::string text;
    for (const Json& item : value) text += (text.empty() ? "" : ", ") + inline_text(item);
    return "[" + text + "]";
  }
  if (value.is_string()) return quoted(value.get<std::string>());
  if (value.is_number_float()) return search::to_text(search::Value(value.get<double>()));
  return value.dump();
}

}  // namespace

Json manifest_json(const std::string& text, const fs::path& file) {
  if (file.extension() == ".json")
    throw RequestError(
        fmt::format("{} is a T1 file, and `judge` takes manifests; `warptune init` writes one from the kernel's source",
                    file.string()));
  Json manifest = json_of(parse_toml(text, file.string()));
  give_files_names(manifest, fs::absolute(file).parent_path());
  return manifest;
}

std::string toml_text(const Json& manifest) {
  std::string text;
  for (const auto& [name, member] : manifest.items()) text += quoted(name) + " = " + inline_text(member) + "\n";
  return text;
}

void write_manifest(const Json& manifest, const fs::path& file) {
  std::ofstream stream(file, std::ios::binary);
  stream << toml_text(manifest);
  if (!stream.flush()) throw RequestError(fmt::format("cannot write {}", file.string()));
}

std::string expression_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? search::to_text(search::Value(value.get<double>())) : value.dump();
}

std::string expression_text(const search::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? "'" + *text + "'" : search::to_text(value);
}

}  // namespace warptune::tuner::judge
