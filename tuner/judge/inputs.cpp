#include "tuner/judge/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "tuner/device/element_type.h"
#include "tuner/judge/manifest_json.h"

namespace warptune::tuner::judge {

namespace {

constexpr double larger = 1024;
constexpr std::array<std::pair<Inputs, std::string_view>, 5> words_of_inputs = {{{Inputs::as_drawn, "random"},
                                                                                 {Inputs::zeros, "zeros"},
                                                                                 {Inputs::negative, "negative"},
                                                                                 {Inputs::large, "large"},
                                                                                 {Inputs::tiny, "tiny"}}};

// Of an argument whose values are drawn: their range, a normal distribution's being three deviations wide.
struct Drawn {
  ElementType type;
  double low, high;

  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
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

// Half of them or so are subnormal. Nothing for types that a manifest's text cannot say them of, or that have none.
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

// How much larger values may become before their type has no room for sums of them.
double factor(const Drawn& data) {
  if (data.type != ElementType::f16) return larger;
  return std::clamp(1000 / std::max(data.magnitude(), 1e-30), 1.0, larger);
}

Json range(double low, double high) {
  return {{"uniform", {low, high}}};
}

// The whole fill, or nothing where the set has no other values for this argument.
std::optional<Json> floating_fill(const Drawn& data, Inputs inputs) {
  switch (inputs) {
    case Inputs::zeros:
      return Json{{"constant", 0.0}};
    case Inputs::negative:
      return range(-data.magnitude(), -data.magnitude() / 16);
    case Inputs::large:
      return range(data.low * factor(data), data.high * factor(data));
    case Inputs::tiny:
      if (const auto bounds = smallest(data.type)) return range(bounds->at(0), bounds->at(1));
      return std::nullopt;
    case Inputs::as_drawn:
      break;
  }
  return std::nullopt;
}

std::optional<Json> integer_fill(const Drawn& data, Inputs inputs) {
  const auto constant = [](double value) { return Json{{"constant", static_cast<std::int64_t>(value)}}; };
  if (inputs == Inputs::zeros && data.low <= 0 && data.high >= 0) return constant(0);
  if (inputs == Inputs::negative) return constant(data.low);
  if (inputs == Inputs::large) return constant(data.high);
  return std::nullopt;
}

std::optional<Json> fill_for(const Drawn& data, Inputs inputs) {
  return is_floating(data.type) ? floating_fill(data, inputs) : integer_fill(data, inputs);
}

// Within what TOML's integers hold.
std::int64_t mixed(std::uint64_t own, std::uint64_t seed) {
  std::uint64_t bits = own * 0x9e3779b97f4a7c15u ^ seed * 0xbf58476d1ce4e5b9u;
  bits ^= bits >> 31U;
  return static_cast<std::int64_t>(bits >> 2U);
}

void widen_tolerance(Json& argument) {
  if (!argument.contains("tolerance") || !argument["tolerance"].contains("absolute")) return;
  Json& absolute = argument["tolerance"]["absolute"];
  absolute = fmt::format("({}) * {}", expression_text(absolute), larger * larger);
}

}  // namespace

std::string_view to_string(Inputs inputs) {
  return std::ranges::find(words_of_inputs, inputs, &std::pair<Inputs, std::string_view>::first)->second;
}

const std::vector<Inputs>& all_inputs() {
  static const std::vector<Inputs> all = {Inputs::as_drawn, Inputs::zeros, Inputs::negative, Inputs::large,
                                          Inputs::tiny};
  return all;
}

Inputs inputs_from_string(std::string_view text) {
  const auto found = std::ranges::find(words_of_inputs, text, &std::pair<Inputs, std::string_view>::second);
  if (found == words_of_inputs.end())
    throw std::invalid_argument(
        fmt::format("there are no inputs '{}'; expected random, zeros, negative, large or tiny", text));
  return found->first;
}

bool changes(const Json& manifest, Inputs inputs) {
  return std::ranges::any_of(manifest.at("arguments"), [&](const Json& argument) {
    const auto data = drawn(argument);
    return data && (inputs == Inputs::as_drawn || fill_for(*data, inputs));
  });
}

Json with_inputs(Json manifest, Inputs inputs, std::uint64_t seed, Room room) {
  for (Json& argument : manifest.at("arguments")) {
    const auto data = drawn(argument);
    if (data) {
      const std::uint64_t own = argument["fill"].value("seed", std::uint64_t{1});
      if (const auto fill = fill_for(*data, inputs)) argument["fill"] = *fill;
      if (!argument["fill"].contains("constant")) argument["fill"]["seed"] = mixed(own, seed);
    }
    if (inputs == Inputs::large && room == Room::grown) widen_tolerance(argument);
  }
  return manifest;
}

}  // namespace warptune::tuner::judge
