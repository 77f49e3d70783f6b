// Reads the fields NAME=VALUE of a policy's text.
#include "tuner/results/check/policy_text.h"

#include <charconv>
#include <sstream>
#include <stdexcept>

#include "db/objectives.h"

namespace warptune::tuner {

namespace {

template <class T>
void read(const std::string& text, T& value) {
  std::from_chars(text.data(), text.data() + text.size(), value);
}

void read_field(const std::string& name, const std::string& text, MeasurePolicy& policy) {
  int energy = policy.energy;
  if (name == "verify") policy.verify = verify_from_string(text);
  if (name == "cache") policy.cold_cache = text == "cold";
  if (name == "precision") read(text, policy.precision);
  if (name == "seconds") read(text, policy.max_seconds);
  if (name == "warmup") read(text, policy.warmup_seconds);
  if (name == "sample_ms") read(text, policy.min_sample_ms);
  if (name == "race") read(text, policy.race);
  if (name == "slack") read(text, policy.slack);
  if (name == "energy") read(text, energy);
  if (name == "bits") policy.same_bits = same_bits_from_text(text);
  if (name == "counters") policy.counters = text == "1" ? Counting::every_trial : Counting::never;
  if (name == "as") policy.as = launch_as_from_string(text);
  if (name == "clock_mhz") read(text, policy.clock_mhz);
  if (name == "power_cap_w") read(text, policy.power_cap_w);
  policy.energy = energy != 0;
  const std::size_t dots = text.find("..");
  if (name != "samples" || dots == std::string::npos) return;
  read(text.substr(0, dots), policy.min_samples);
  read(text.substr(dots + 2), policy.max_samples);
}

}  // namespace

// Whatever was misread or is not known here shows in the text, so reading needs no errors of its own.
std::optional<MeasurePolicy> policy_from_text(const std::string& rated) {
  const std::string text = db::without_objective(rated);
  MeasurePolicy policy;
  std::istringstream fields(text);
  try {
    for (std::string field; fields >> field;) {
      const std::size_t equals = field.find('=');
      if (equals != std::string::npos) read_field(field.substr(0, equals), field.substr(equals + 1), policy);
    }
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // a way to verify, or bits, of another version
  }
  if (policy.text() != text) return std::nullopt;
  return policy;
}

}  // namespace warptune::tuner
