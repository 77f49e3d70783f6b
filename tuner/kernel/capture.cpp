#include "tuner/kernel/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "db/bounded_json.h"
#include "tuner/device/read_file.h"
#include "tuner/kernel/content_hash.h"
#include "tuner/kernel/json_values.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {

namespace {

constexpr char schema[] = "warptune-capture/1";

std::string content_of(const std::filesystem::path& file) {
  auto text = read_file(file);
  if (!text) throw RequestError(fmt::format("cannot read {}, which belongs to a capture", file.string()));
  return *std::move(text);
}

Capture capture_from(const Json& json, const std::filesystem::path& file) {
  if (!json.is_object() || json.value("schema", std::string()) != schema)
    throw RequestError(fmt::format("{}: expected a capture of schema {}", file.string(), schema));
  Capture capture;
  capture.kernel = json.at("kernel").get<std::string>();
  capture.sizes = values_from_json(json.at("sizes"));
  if (const auto variants = json.find("variants"); variants != json.end())
    capture.variants = values_from_json(*variants);
  if (const auto scalars = json.find("scalars"); scalars != json.end()) capture.scalars = values_from_json(*scalars);
  if (const auto arguments = json.find("arguments"); arguments != json.end())
    for (const auto& [name, value] : arguments->items())
      capture.arguments[name] = file.parent_path() / value.get<std::string>();
  return capture;
}

Argument& find(KernelTemplate& kernel, const std::string& name, bool scalar) {
  const auto found = std::ranges::find(kernel.arguments, name, &Argument::name);
  if (found == kernel.arguments.end() || (found->role == Role::scalar) != scalar)
    throw RequestError(
        fmt::format("the capture has a {} '{}', which {} does not have: it was made with another version",
                    scalar ? "constant" : "buffer", name, kernel.name));
  return *found;
}

}  // namespace

void write_capture(const std::filesystem::path& file, const Capture& capture) {
  Json json;
  json["schema"] = schema;
  json["kernel"] = capture.kernel;
  json["sizes"] = json_from_values(capture.sizes);
  json["variants"] = json_from_values(capture.variants);
  json["scalars"] = json_from_values(capture.scalars);
  json["arguments"] = Json::object();
  for (const auto& [name, path] : capture.arguments) json["arguments"][name] = path.filename().string();
  std::ofstream stream(file, std::ios::binary);
  stream << json.dump(1) << '\n';
  stream.close();
  if (!stream) throw std::runtime_error(fmt::format("cannot write the capture {}", file.string()));
}

Capture read_capture(const std::filesystem::path& file) {
  const std::string text = content_of(file);
  try {
    return capture_from(db::parse_json<Json>(text), file);
  } catch (const Json::exception& error) {
    throw RequestError(fmt::format("{}: this is no capture: {}", file.string(), error.what()));
  }
}

void apply_capture(const Capture& capture, KernelTemplate& kernel) {
  if (capture.kernel != kernel.name)
    throw RequestError(fmt::format("the capture is of {}, not of {}", capture.kernel, kernel.name));
  for (const auto& [name, value] : capture.scalars)
    find(kernel, name, true).value = search::Expression::constant(value);
  for (const auto& [name, path] : capture.arguments) {
    Fill fill;
    fill.kind = Fill::Kind::npy;
    fill.file = path;
    find(kernel, name, false).fill = fill;
  }
}

std::string capture_hash(const Capture& capture) {
  std::string text = search::to_text(capture.scalars);
  for (const auto& [name, path] : capture.arguments) text += '\n' + name + content_hash(content_of(path));
  return content_hash(text);
}

}  // namespace warptune::tuner
