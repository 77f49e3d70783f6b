// Widens the tolerances in a manifest's tree.
#include "tuner/results/judge/room.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/device/element_type.h"
#include "tuner/results/judge/manifest_json.h"
#include "tuner/results/judge/shaken.h"

namespace warptune::tuner::judge {

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

}  // namespace warptune::tuner::judge
