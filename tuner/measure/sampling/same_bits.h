// A winner whose outputs are the same bits as another configuration's: who of a session's trials may win.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "search/trial.h"

namespace warptune::tuner {

// Plain, for it is a part of the measuring policy, which workers get as it lies in memory.
struct SameBits {
  enum class As : std::uint8_t { anything, default_configuration, known };
  As as = As::anything;
  std::uint64_t data = 0, outputs = 0;  // if known: the hashes of a trial's OutputBits

  // "", "default", or "DATA-OUTPUTS" in hexadecimal.
  std::string text() const;
};

// Of such a text. Throws std::invalid_argument for any other, and for bits that lack their outputs.
SameBits same_bits_from_text(const std::string& text);
SameBits same_bits_as(const search::OutputBits& bits);

// Which trials of one session may win. Pure.
class BitsRule {
 public:
  explicit BitsRule(const SameBits& wanted);

  bool asks() const { return wanted_.as != SameBits::As::anything; }
  // Whether it is known which bits a winner must have: the default's only behind its trial.
  bool settled() const { return !asks() || bits_.has_value() || !hopeless_.empty(); }
  // To be told of each trial before `admits` is asked about it, of the default's before all others.
  void meet(const search::Trial& trial, bool is_default);
  bool admits(const search::Trial& trial) const { return !asks() || (trial.bits && bits_ && *trial.bits == *bits_); }
  // Why nothing can win; empty while something may.
  const std::string& hopeless() const { return hopeless_; }

 private:
  SameBits wanted_;
  std::optional<search::OutputBits> bits_;
  std::string hopeless_;
};

// What makes a correct trial none that may win: its first objective becomes infinite. So it stays what was measured, is
// told to strategies as one that failed (Strategy::tell), and stands in no finals, no front and no list of the best.
void rule_out(search::Trial& trial);
// Whether that was done to it, or its objective has no value.
bool may_win(const search::Trial& trial);

}  // namespace warptune::tuner
