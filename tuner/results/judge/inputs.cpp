// Derives the fills of each set from the ranges that the manifest draws from.
#include "tuner/results/judge/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "search/expression/expression.h"
#include "tuner/device/element_type.h"
#include "tuner/results/judge/manifest_json.h"

namespace warptune::tuner::judge {

namespace {

constexpr double larger = 1024;
// Functions that saturate do so within this factor: exp(-8) is 3e-4.
constexpr double wider = 8;
constexpr std::array<std::pair<Inputs, std::string_view>, 7> words_of_inputs = {{{Inputs::as_drawn, "random"},
                                                                                 {Inputs::zeros, "zeros"},
                                                                                 {Inputs::negative, "negative"},
                                                                                 {Inputs::wide, "wide"},
                                                                                 {Inputs::outliers, "outliers"},
                                                                                 {Inputs::large, "large"},
                                                                                 {Inputs::tiny, "tiny"}}};

// Describes an argument whose values are drawn, by their range. That of a normal distribution reaches three deviations
// to either side.
struct Drawn {
  ElementType type;
  double low, high;

  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
  double middle() const { return (low + high) / 2; }
};

std::optional<Drawn> drawn(const Json& argument) {
  if (!argument.is_object() || !argument.contains("fill") || !argument.contains("type")) return std::nullopt;
  const Json& fill = argument["fill"];
  const auto type = element_type_from_string(argument["type"].get<std::string>());
  if (!fill.is_object() || fill.value("fixed", false) || !type) return std::nullopt;
  const auto number = [&](const char* key, std::size_t i) { return fill[key].at(i).get<double>(); };
  if (fill.contains("uniform")) return Drawn{*type, number("uniform", 0), number("uniform", 1)};
  if (fill.contains("normal"))
    return Drawn{*type, number("normal", 0) - 3 * number("normal", 1), number("normal", 0) + 3 * number("normal", 1)};
  return std::nullopt;
}

// Returns bounds of the smallest numbers of a type, of which half or so are subnormal. Returns nothing for types whose
// smallest numbers a manifest's text cannot say, or that have none.
std::optional<std::array<double, 2>> smallest(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return std::array{6e-8, 1.2e-4};
    case ElementType::bf16:
    case ElementType::f32:
      return std::array{1e-40, 2.4e-38};
    default:
      return std::nullopt;
  }
}

// Returns how many times as large values may become before their type has no room for sums of them, at most `wanted`.
double factor(const Drawn& data, double wanted) {
  if (data.type != ElementType::f16) return wanted;
  return std::clamp(1000 / std::max(data.magnitude(), 1e-30), 1.0, wanted);
}

Json range(double low, double high) {
  return {{"uniform", {low, high}}};
}

// Returns a normal distribution around the middle of the range.
Json bell(const Drawn& data, double deviation) {
  return {{"normal", {data.middle(), deviation}}};
}

// Returns the whole fill, or nothing where the set has no other values for this argument.
std::optional<Json> floating_fill(const Drawn& data, Inputs inputs) {
  switch (inputs) {
    case Inputs::zeros:
      return Json{{"constant", 0.0}};
    case Inputs::negative:
      return range(-data.magnitude() * factor(data, wider), -data.magnitude() / 16);
    case Inputs::wide:
      return range(-data.magnitude() * factor(data, wider), data.magnitude() * factor(data, wider));
    case Inputs::outliers:
      return bell(data, data.magnitude());
    case Inputs::large:
      return range(data.low * factor(data, larger), data.high * factor(data, larger));
    case Inputs::tiny:
      if (const auto bounds = smallest(data.type)) return range(bounds->at(0), bounds->at(1));
      return std::nullopt;
    case Inputs::as_drawn:
      break;
  }
  return std::nullopt;
}

// Returns a normal distribution, or nothing if the range is too small for one. Seven deviations, which no element of
// any buffer leaves, are within the range.
std::optional<Json> integer_outliers(const Drawn& data) {
  const double deviation = (data.high - data.low) / 14;
  return deviation < 1 ? std::nullopt : std::optional(bell(data, deviation));
}

std::optional<Json> integer_fill(const Drawn& data, Inputs inputs, const Range* wider_range) {
  const auto constant = [](double value) { return Json{{"constant", static_cast<std::int64_t>(value)}}; };
  const Drawn most = wider_range ? Drawn{data.type, wider_range->low, wider_range->high} : data;
  if (inputs == Inputs::zeros && data.low <= 0 && data.high >= 0) return constant(0);
  if (inputs == Inputs::negative) return constant(data.low);
  if (inputs == Inputs::large) return constant(data.high);
  if (inputs == Inputs::wide && wider_range) return range(most.low, most.high);
  if (inputs == Inputs::outliers) return integer_outliers(most);
  return std::nullopt;
}

std::optional<Json> fill_for(const std::string& name, const Drawn& data, Inputs inputs, const Ranges& ranges) {
  if (is_floating(data.type)) return floating_fill(data, inputs);
  const auto wider_range = ranges.find(name);
  return integer_fill(data, inputs, wider_range == ranges.end() ? nullptr : &wider_range->second);
}

// Returns what a type holds, but at most 16 bits.
Range range_of(ElementType type) {
  switch (type) {
    case ElementType::i8:
      return {-128, 127};
    case ElementType::u8:
      return {0, 255};
    case ElementType::u16:
    case ElementType::u32:
    case ElementType::u64:
      return {0, 65535};
    default:
      return {-32768, 32767};
  }
}

// Returns the integers that are drawn from more than two values, by name.
std::map<std::string, Drawn> drawn_integers(const Json& manifest) {
  std::map<std::string, Drawn> found;
  for (const auto& [name, argument] : manifest.at("arguments").items())
    if (const auto data = drawn(argument); data && !is_floating(data->type) && data->high - data->low > 1)
      found.emplace(name, *data);
  return found;
}

// Returns how many elements each buffer has, as far as sizes alone say it; the largest first.
std::set<double, std::greater<>> lengths(const Json& manifest, const search::NamedValues& sizes) {
  std::set<double, std::greater<>> found;
  for (const Json& argument : manifest.at("arguments")) try {
      double length = 1;
      for (const Json& extent : argument.value("shape", Json::array()))
        length *= search::to_double(search::Expression::parse(expression_text(extent)).evaluate(sizes));
      if (argument.contains("shape")) found.insert(length);
    } catch (const search::ExpressionError&) {
      continue;  // the extent has derived names
    }
  return found;
}

// Mixes a fill's own seed with another one, within what TOML's integers hold.
std::int64_t mixed(std::uint64_t own, std::uint64_t seed) {
  std::uint64_t bits = own * 0x9e3779b97f4a7c15u ^ seed * 0xbf58476d1ce4e5b9u;
  bits ^= bits >> 31U;
  return static_cast<std::int64_t>(bits >> 2U);
}

}  // namespace

std::string_view to_string(Inputs inputs) {
  return std::ranges::find(words_of_inputs, inputs, &std::pair<Inputs, std::string_view>::first)->second;
}

const std::vector<Inputs>& all_inputs() {
  static const std::vector<Inputs> all = {Inputs::as_drawn, Inputs::zeros, Inputs::negative, Inputs::wide,
                                          Inputs::outliers, Inputs::large, Inputs::tiny};
  return all;
}

Inputs inputs_from_string(std::string_view text) {
  const auto found = std::ranges::find(words_of_inputs, text, &std::pair<Inputs, std::string_view>::second);
  if (found == words_of_inputs.end())
    throw std::invalid_argument(
        fmt::format("there are no inputs '{}'; expected random, zeros, negative, wide, outliers, large or tiny", text));
  return found->first;
}

std::vector<Ranges> wider_ranges(const Json& manifest, const search::NamedValues& sizes) {
  const std::map<std::string, Drawn> integers = drawn_integers(manifest);
  std::vector<Ranges> found;
  const auto add = [&](auto&& most) {
    Ranges ranges;
    for (const auto& [name, data] : integers)
      if (const Range wanted = most(range_of(data.type)); wanted.low < data.low || wanted.high > data.high)
        ranges[name] = wanted;
    if (!ranges.empty() && std::ranges::find(found, ranges) == found.end()) found.push_back(std::move(ranges));
  };
  add([](Range type) { return type; });
  for (const double length : lengths(manifest, sizes))
    add([&](Range type) { return Range{0, std::min(type.high, length - 1)}; });
  return found;
}

bool changes(const Json& manifest, Inputs inputs, const Ranges& ranges) {
  return std::ranges::any_of(manifest.at("arguments").items(), [&](const auto& argument) {
    const auto data = drawn(argument.value());
    return data && (inputs == Inputs::as_drawn || fill_for(argument.key(), *data, inputs, ranges));
  });
}

Json with_inputs(Json manifest, Inputs inputs, std::uint64_t seed, const Ranges& ranges) {
  for (const auto& [name, argument] : manifest.at("arguments").items()) {
    const auto data = drawn(argument);
    if (!data) continue;
    const std::uint64_t own = argument["fill"].value("seed", std::uint64_t{1});
    if (const auto fill = fill_for(name, *data, inputs, ranges)) argument["fill"] = *fill;
    if (!argument["fill"].contains("constant")) argument["fill"]["seed"] = mixed(own, seed);
  }
  return manifest;
}

Json with_other_scalars(Json manifest, std::uint64_t seed) {
  std::uint64_t place = 0;
  for (Json& argument : manifest.at("arguments")) {
    const auto type = element_type_from_string(argument.at("type").get<std::string>());
    if (!argument.contains("value") || !argument["value"].is_number() || !type || !is_floating(*type)) continue;
    const auto steps = static_cast<double>(mixed(++place, seed) % 1000);
    argument["value"] = argument["value"].get<double>() * std::exp2(steps / 500 - 1);
  }
  return manifest;
}

}  // namespace warptune::tuner::judge
