// Converts the measuring policy and its enumerations to and from text.
#include "tuner/measure/sampling/policy.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace warptune::tuner {

namespace {

constexpr std::array<std::pair<Verify, std::string_view>, 3> verify_names{
    {{Verify::always, "always"}, {Verify::once, "once"}, {Verify::never, "never"}}};

constexpr std::array<std::pair<LaunchAs, std::string_view>, 3> launch_names{
    {{LaunchAs::automatic, "automatic"}, {LaunchAs::stream, "stream"}, {LaunchAs::graph, "graph"}}};

template <class Names, class Value>
std::string_view name_of(const Names& names, Value wanted) {
  for (const auto& [value, name] : names)
    if (value == wanted) return name;
  return "?";
}

}  // namespace

Verify verify_from_string(std::string_view text) {
  for (const auto& [value, name] : verify_names)
    if (name == text) return value;
  throw std::invalid_argument(fmt::format("there is no way to verify '{}'; expected always, once or never", text));
}

LaunchAs launch_as_from_string(std::string_view text) {
  for (const auto& [value, name] : launch_names)
    if (name == text) return value;
  throw std::invalid_argument(
      fmt::format("there is no way to launch as '{}'; expected automatic, stream or graph", text));
}

MeasurePolicy MeasurePolicy::for_finalists() const {
  MeasurePolicy policy = *this;
  policy.min_samples = policy.max_samples = 5;
  policy.max_seconds = 0.02;  // one sample of a long run says as much as five of a short one
  policy.race = 0;
  policy.energy = false;
  policy.counters = Counting::never;
  return policy;
}

// Fields that were added later appear only where they are not the default, so that the keys of stored sessions stay
// valid.
std::string MeasurePolicy::text() const {
  std::string later = counters == Counting::every_trial ? " counters=1" : "";
  if (as != LaunchAs::automatic) later += fmt::format(" as={}", name_of(launch_names, as));
  if (clock_mhz > 0) later += fmt::format(" clock_mhz={}", clock_mhz);
  if (power_cap_w > 0) later += fmt::format(" power_cap_w={}", power_cap_w);
  if (same_bits.as != SameBits::As::anything) later += " bits=" + same_bits.text();
  return fmt::format(
      "verify={} cache={} precision={} samples={}..{} seconds={} warmup={} sample_ms={} race={} slack={} energy={}{}",
      name_of(verify_names, verify), cold_cache ? "cold" : "warm", precision, min_samples, max_samples, max_seconds,
      warmup_seconds, min_sample_ms, race, slack, int{energy}, later);
}

}  // namespace warptune::tuner
