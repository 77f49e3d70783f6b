// Compares the hashes of outputs, and explains why no trial can have the wanted ones.
#include "tuner/measure/sampling/same_bits.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace warptune::tuner {

namespace {

std::uint64_t hash_from(std::string_view digits) {
  std::uint64_t hash = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  if (digits.size() != 16 || error != std::errc() || end != digits.data() + digits.size())
    throw std::invalid_argument(fmt::format("'{}' is no hash of bits; expected 16 hexadecimal digits", digits));
  return hash;
}

std::string hash_text(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace

std::string SameBits::text() const {
  if (as == As::anything) return {};
  return as == As::default_configuration ? "default" : hash_text(data) + "-" + hash_text(outputs);
}

SameBits same_bits_from_text(const std::string& text) {
  if (text.empty()) return {};
  if (text == "default") return {SameBits::As::default_configuration, 0, 0};
  const std::size_t dash = text.find('-');
  const std::string_view all = text;
  return {SameBits::As::known, hash_from(all.substr(0, dash)),
          hash_from(dash == std::string::npos ? "" : all.substr(dash + 1))};
}

SameBits same_bits_as(const search::OutputBits& bits) {
  return {SameBits::As::known, hash_from(bits.data), hash_from(bits.outputs)};
}

BitsRule::BitsRule(const SameBits& wanted) : wanted_(wanted) {
  if (wanted.as == SameBits::As::known) bits_ = search::OutputBits{hash_text(wanted.data), hash_text(wanted.outputs)};
}

void BitsRule::meet(const search::Trial& trial, bool is_default) {
  if (!asks() || !hopeless_.empty()) return;
  if (wanted_.as == SameBits::As::default_configuration && is_default) {
    if (trial.bits && !trial.bits->outputs.empty())
      bits_ = trial.bits;
    else
      hopeless_ = !trial.correct() ? "the default configuration failed, so that nothing can have its bits"
                  : trial.bits     ? "the default configuration's outputs are declared nondeterministic, so that "
                                     "nothing can have its bits"
                                   : "the default configuration has no output that is verified, so that nothing can "
                                     "have its bits";
  }
  if (bits_ && trial.bits && trial.bits->data != bits_->data)
    hopeless_ = fmt::format(
        "the bits that are asked for are of other inputs (data {}, here {}), so that they cannot be compared",
        bits_->data, trial.bits->data);
}

void rule_out(search::Trial& trial) {
  if (!trial.objectives.empty()) trial.objectives.front() = std::numeric_limits<double>::infinity();
}

bool may_win(const search::Trial& trial) {
  return trial.correct() && !trial.objectives.empty() && std::isfinite(trial.objectives.front());
}

}  // namespace warptune::tuner
