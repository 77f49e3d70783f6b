// Adds kernels that shake the inputs to the source, and launches them before the kernel's own.
#include "tuner/results/judge/shaken.h"

#include <fmt/format.h>

#include <fstream>

#include "tuner/device/element_type.h"
#include "tuner/kernel/files/named_file.h"
#include "tuner/results/judge/manifest_json.h"
#include "tuner/results/judge/side.h"

namespace warptune::tuner::judge {

namespace {

// Says how the numbers of a type are shaken: by an integer type of the same size, in which a step is one unit in the
// last place, by a mask of the exponent, and by how many units. A type with few digits takes one, which is more than a
// kernel that adds in a wider one loses.
struct Bits {
  const char* type;
  const char* exponent;
  int units;
};

Bits bits_of(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return {"unsigned long long", "0x7ff0000000000000ull", 8};
    case ElementType::f32:
      return {"unsigned", "0x7f800000u", 8};
    case ElementType::f16:
      return {"unsigned short", "0x7c00u", 1};
    default:
      return {"unsigned short", "0x7f80u", 1};
  }
}

std::string length_macro(const std::string& name) {
  return "WARPTUNE_LENGTH_" + name;
}

std::string kernel_name(const std::string& name) {
  return "warptune_shake_" + name;
}

// Returns the source of a kernel that shakes a buffer. Zeros, subnormal numbers, infinity and NaN stay. A hash of a
// number's place says whether it goes up or down.
std::string kernel_text(const std::string& name, ElementType type) {
  const Bits bits = bits_of(type);
  return fmt::format(
      "extern \"C\" __global__ void {0}(const {1}* from, {1}* to) {{\n"
      "  const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= {2}) return;\n"
      "  const {1} word = from[i], exponent = word & {3};\n"
      "  const bool stays = exponent == 0 || exponent == {3};\n"
      "  const bool up = (i * 0x9e3779b97f4a7c15ull >> 40) & 1;\n"
      "  to[i] = stays ? word : ({1})(up ? word + {4} : word - {4});\n"
      "}}\n",
      kernel_name(name), bits.type, length_macro(name), bits.exponent, bits.units);
}

std::string length_of(const Json& argument) {
  std::string product = "1";
  for (const Json& extent : argument.at("shape")) product += fmt::format(" * ({})", expression_text(extent));
  return product;
}

// Returns the launch that shakes an argument. What an inout held is gone after that; an input must stay, and gets a
// copy.
Json shaking_launch(const std::string& name, const Json& argument, Json& manifest) {
  std::string to = name;
  if (argument.value("role", "input") == "input") {
    to = "warptune_shaken_" + name;
    manifest["temporaries"][to] = {{"type", argument.at("type")}, {"shape", argument.at("shape")}};
  }
  manifest["defines"][length_macro(name)] = length_of(argument);
  return {{"kernel", kernel_name(name)},
          {"grid", fmt::format("ceildiv({}, 256)", length_of(argument))},
          {"block", 256},
          {"arguments", {name, to}}};
}

}  // namespace

std::vector<std::string> shakeable_inputs(const Json& manifest) {
  std::vector<std::string> names;
  for (const auto& [name, argument] : manifest.at("arguments").items()) {
    const auto type = element_type_from_string(argument.at("type").get<std::string>());
    if (argument.contains("shape") && type && is_floating(*type) && argument.value("role", "input") != "output" &&
        !argument.contains("symbol") && argument.value("memory", "device") == "device")
      names.push_back(name);
  }
  return names;
}

std::optional<Json> shaken(const Kernel& kernel, const std::filesystem::path& folder) {
  const Side side(kernel);
  Json manifest = side.manifest;
  const std::vector<std::string> inputs = shakeable_inputs(manifest);
  if (inputs.empty()) return std::nullopt;
  Json launches = Json::array();
  std::map<std::string, std::string> copies;
  std::string text = text_of_named_file(side.source) + '\n';
  for (const std::string& name : inputs) {
    const Json argument = manifest.at("arguments").at(name);
    launches.push_back(shaking_launch(name, argument, manifest));
    if (argument.value("role", "input") == "input") copies[name] = "warptune_shaken_" + name;
    text += kernel_text(name, element_type_from_string(argument.at("type").get<std::string>()).value());
  }
  for (Json launch : side.launches()) {
    rename_arguments(launch, copies);
    launches.push_back(launch);
  }
  manifest["launches"] = launches;
  for (auto& map : manifest["tensor_maps"])
    if (const auto copy = copies.find(map.value("of", "")); copy != copies.end()) map["of"] = copy->second;
  if (manifest["tensor_maps"].empty()) manifest.erase("tensor_maps");
  const std::filesystem::path source = folder / "warptune_shaken.cu";
  std::ofstream stream(source, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw RequestError(fmt::format("cannot write {}", source.string()));
  manifest["source"] = source.string();
  Kernel other;
  other.manifest = toml_text(manifest);
  other.file = kernel.file;
  other.parameters = kernel.parameters;
  Json both = combine(kernel, other, folder).manifest;
  both["reference"] = {{"default_configuration", true}};
  return both;
}

}  // namespace warptune::tuner::judge
