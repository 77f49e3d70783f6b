// Makes a reference with shaken inputs and a candidate with wider tolerances, and runs both.
#include "tuner/results/judge/second_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/device/element_type.h"
#include "tuner/kernel/files/named_file.h"
#include "tuner/results/judge/case_run.h"
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

namespace {

constexpr double everything = 1e300;

ElementType type_of(const Json& argument) {
  return element_type_from_string(argument.at("type").get<std::string>()).value();
}

bool is_output(const Json& argument) {
  const std::string role = argument.value("role", "input");
  return role == "output" || role == "inout";
}

// Returns whether the argument has no tolerance, or 0.
bool is_exact(const Json& argument) {
  const Json tolerance = argument.value("tolerance", Json::object());
  return std::ranges::all_of(tolerance, [](const Json& part) { return part.is_number() && part.get<double>() == 0; });
}

// Returns the square root of the distance from 1 to the next number: an error of half of the type's digits.
double half_of_digits(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return std::exp2(-26);
    case ElementType::f32:
      return std::exp2(-11.5);
    case ElementType::f16:
      return std::exp2(-5);
    default:
      return std::exp2(-3.5);
  }
}

void give_room(Json& argument, Room room, const Scale& scale) {
  Json& absolute = argument["tolerance"]["absolute"];
  const std::string own = absolute.is_null() ? "0" : expression_text(absolute);
  if (room == Room::any)
    absolute = everything;
  else if (!is_floating(type_of(argument)))
    absolute = fmt::format("({}) + 1", own);
  else
    absolute = fmt::format("({}) * {} + {}", own, scale.ordinary > 0 ? std::max(1.0, scale.here / scale.ordinary) : 1.0,
                           scale.here * half_of_digits(type_of(argument)));
}

}  // namespace

Json with_room(Json manifest, Room room, const Scales& scales) {
  if (room == Room::own) return manifest;
  const bool may_round = !shakeable_inputs(manifest).empty();
  for (const auto& [name, argument] : manifest.at("arguments").items()) {
    if (!is_output(argument)) continue;
    const auto scale = scales.find(name);
    if (is_floating(type_of(argument)) ? !is_exact(argument) : may_round)
      give_room(argument, room, scale == scales.end() ? Scale{} : scale->second);
  }
  return manifest;
}

Json with_exact_outputs_left_out(Json manifest) {
  for (Json& argument : manifest.at("arguments"))
    if (is_output(argument) && is_floating(type_of(argument)) && is_exact(argument)) give_room(argument, Room::any, {});
  return manifest;
}

namespace {

Scales scales_of(const std::vector<search::ExpectedOutput>& here, const std::vector<search::ExpectedOutput>& ordinary) {
  Scales scales;
  for (const search::ExpectedOutput& output : here) {
    const auto known = std::ranges::find(ordinary, output.name, &search::ExpectedOutput::name);
    scales[output.name] = {output.largest(), known == ordinary.end() ? 0 : known->largest()};
  }
  return scales;
}

// Says so if the reference writes NaN or infinity for these inputs and not for the manifest's, because then it does not
// bear these inputs. Else the text is empty.
std::string overflow_of(const std::vector<search::ExpectedOutput>& here,
                        const std::vector<search::ExpectedOutput>& ordinary) {
  for (const search::ExpectedOutput& output : here) {
    const auto known = std::ranges::find(ordinary, output.name, &search::ExpectedOutput::name);
    if (known == ordinary.end()) continue;
    const bool nan = output.nan > 0 && known->nan == 0, infinite = output.infinite > 0 && known->infinite == 0;
    if (nan || infinite)
      return fmt::format("the reference itself writes {} to {} here, and a kernel that does not may be the better one",
                         nan ? "NaN" : "infinity", output.name);
  }
  return {};
}

}  // namespace

SecondLook::SecondLook(const Kernel& reference, const TuneRequest& run, const std::atomic<bool>& stop)
    : reference_(reference), run_(run), stop_(stop) {}

void SecondLook::judge(const Json& manifest, const PutInputs& put, const std::vector<search::ExpectedOutput>& ordinary,
                       Case& each) {
  each.set_aside = overflow_of(each.expected, ordinary);
  if (!each.set_aside.empty()) return;
  const Scales scales = scales_of(each.expected, ordinary);
  std::vector<std::string> notes;
  for (const Room room : {Room::rough, Room::any}) {
    Case again = each;
    run_case(put(with_room(manifest, room, scales)), run_, 0, stop_, again, notes);
    if (stop_.load()) return;
    each = std::move(again);
    if (!each.is_wrong()) return;
    const Answer steady = is_steady(manifest, put, room, scales, each);
    if (steady == Answer::yes || (steady == Answer::unknown && room == Room::any)) return;
  }
  each.set_aside =
      "the reference's own outputs change by more than any tolerance when its inputs change in their last digits";
}

const std::optional<Json>& SecondLook::shaken_manifest() {
  if (!std::exchange(tried_, true)) shaken_ = shaken(reference_, folder_.path());
  return shaken_;
}

SecondLook::Answer SecondLook::is_steady(const Json& manifest, const PutInputs& put, Room room, const Scales& scales,
                                         const Case& each) try {
  if (shakeable_inputs(manifest).empty()) return Answer::yes;
  if (!shaken_manifest()) return Answer::unknown;
  Json own = *shaken_manifest();
  for (const auto& [name, argument] : own.at("arguments").items())
    if (manifest.at("arguments").at(name).contains("tolerance"))
      argument["tolerance"] = manifest.at("arguments").at(name).at("tolerance");
  TuneRequest run = run_;
  run.manifest = folder_.path() / "template.toml";
  Case itself = each;
  std::vector<std::string> notes;
  run_case(put(with_exact_outputs_left_out(with_room(own, room, scales))), run, 0, stop_, itself, notes);
  if (itself.reference_failed) return Answer::unknown;
  if (itself.candidate.correct()) return Answer::yes;
  return itself.candidate.outcome == search::Outcome::wrong_result ? Answer::no : Answer::unknown;
} catch (const search::Error& error) {
  if (error.kind() == search::ErrorKind::device_lost || error.kind() == search::ErrorKind::no_device) throw;
  return Answer::unknown;
}

}  // namespace warptune::tuner::judge
