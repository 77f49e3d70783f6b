// Reads and writes the captures of capture.h, and applies them to a template.
#include "tuner/kernel/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "db/bounded_json.h"
#include "tuner/kernel/content_hash.h"
#include "tuner/kernel/json_values.h"
#include "tuner/kernel/problem.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

constexpr char schema[] = "warptune-capture/1";

std::string content_of(const std::filesystem::path& file) {
  auto text = read_file(file);
  if (!text) throw RequestError(fmt::format("cannot read {}, which belongs to a capture", file.string()));
  return *std::move(text);
}

// JSON has no word for infinity: these are texts.
constexpr std::array<std::pair<std::string_view, double>, 3> words = {
    {{"inf", std::numeric_limits<double>::infinity()},
     {"-inf", -std::numeric_limits<double>::infinity()},
     {"nan", std::numeric_limits<double>::quiet_NaN()}}};

// Returns the number that a text of digits stands for, or nothing for another text. An unsigned constant beyond int64
// is kept as its digits.
std::optional<std::uint64_t> unsigned_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Json json_of_scalar(const search::Value& value) {
  if (const auto* number = std::get_if<double>(&value); number && !std::isfinite(*number))
    return search::to_text(value);
  if (const auto* text = std::get_if<std::string>(&value))
    if (const auto number = unsigned_number(*text)) return *number;
  return std::visit([](const auto& content) -> Json { return content; }, value);
}

search::Value scalar_from(const std::string& name, const Json& json, const std::filesystem::path& file) {
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    return json.dump();
  if (json.is_number() || json.is_string()) return values_from_json(Json::object({{name, json}})).front().second;
  throw RequestError(fmt::format("{}: expected the constant '{}' to be a number, \"inf\", \"-inf\" or \"nan\", not {}",
                                 file.string(), name, json.dump()));
}

// Returns a captured constant as a number of the argument's type.
search::Value constant_of(const Argument& argument, const search::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (!text) return value;
  if (is_floating(argument.type))
    for (const auto& [word, number] : words)
      if (*text == word) return number;
  if (argument.type == ElementType::u64)
    if (const auto number = unsigned_number(*text)) return std::bit_cast<std::int64_t>(*number);
  throw RequestError(fmt::format("the capture's constant '{}' is '{}', which is no {}", argument.name, *text,
                                 to_string(argument.type)));
}

Capture capture_from(const Json& json, const std::filesystem::path& file) {
  if (!json.is_object() || json.value("schema", std::string()) != schema)
    throw RequestError(fmt::format("{}: expected a capture of schema {}", file.string(), schema));
  Capture capture;
  capture.kernel = json.at("kernel").get<std::string>();
  capture.sizes = values_from_json(json.at("sizes"));
  if (const auto variants = json.find("variants"); variants != json.end())
    capture.variants = values_from_json(*variants);
  if (const auto scalars = json.find("scalars"); scalars != json.end())
    for (const auto& [name, value] : scalars->get_ref<const Json::object_t&>())
      capture.scalars.emplace_back(name, scalar_from(name, value, file));
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
  json["scalars"] = Json::object();
  for (const auto& [name, value] : capture.scalars) json["scalars"][name] = json_of_scalar(value);
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
    throw RequestError(fmt::format("{}: this is no capture, which capture_next() of the runtime writes: {}",
                                   file.string(), words_of(error)));
  }
}

void apply_capture(const Capture& capture, KernelTemplate& kernel) {
  if (capture.kernel != kernel.name)
    throw RequestError(fmt::format("the capture is of {}, not of {}", capture.kernel, kernel.name));
  for (const auto& [name, value] : capture.scalars) {
    Argument& argument = find(kernel, name, true);
    argument.value = search::Expression::constant(constant_of(argument, value));
  }
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
