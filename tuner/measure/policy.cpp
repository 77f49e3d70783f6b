#include "tuner/measure/policy.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace warptune::tuner {

namespace {

constexpr std::array<std::pair<Verify, std::string_view>, 3> verify_names{
    {{Verify::always, "always"}, {Verify::once, "once"}, {Verify::never, "never"}}};

std::string_view to_string(Verify verify) {
  for (const auto& [value, name] : verify_names)
    if (value == verify) return name;
  return "?";
}

}  // namespace

Verify verify_from_string(std::string_view text) {
  for (const auto& [value, name] : verify_names)
    if (name == text) return value;
  throw std::invalid_argument(fmt::format("there is no way to verify '{}'; expected always, once or never", text));
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

std::string MeasurePolicy::text() const {
  return fmt::format(
      "verify={} cache={} precision={} samples={}..{} seconds={} warmup={} sample_ms={} race={} slack={} energy={}{}",
      to_string(verify), cold_cache ? "cold" : "warm", precision, min_samples, max_samples, max_seconds, warmup_seconds,
      min_sample_ms, race, slack, int{energy}, counters == Counting::every_trial ? " counters=1" : "");
}

}  // namespace warptune::tuner
