// Implements the rule that a winner's outputs must have the same bits as another configuration's. It decides which of a
// session's trials may win.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "search/trial.h"

namespace warptune::tuner {

// Names the bits that a winner must have. The type is plain data, since it is a part of the measuring policy, which is
// copied to workers byte by byte.
struct SameBits {
  enum class As : std::uint8_t { anything, default_configuration, known };
  As as = As::anything;
  std::uint64_t data = 0, outputs = 0;  // if known: the hashes of a trial's OutputBits

  // Returns "", "default", or "DATA-OUTPUTS" in hexadecimal.
  std::string text() const;
};

// Reads what SameBits::text writes. Throws std::invalid_argument for any other text, and for bits that lack their
// outputs.
SameBits same_bits_from_text(const std::string& text);
SameBits same_bits_as(const search::OutputBits& bits);

// Decides which trials of one session may win. It has no side effects.
class BitsRule {
 public:
  explicit BitsRule(const SameBits& wanted);

  bool asks() const { return wanted_.as != SameBits::As::anything; }
  // Returns whether the bits that a winner must have are known. The default's bits are known only after its trial.
  bool settled() const { return !asks() || bits_.has_value() || !hopeless_.empty(); }
  // Takes note of a trial. It must be called for each trial before `admits` is asked about it, and for the default's
  // before all others.
  void meet(const search::Trial& trial, bool is_default);
  bool admits(const search::Trial& trial) const { return !asks() || (trial.bits && bits_ && *trial.bits == *bits_); }
  // Returns why nothing can win; empty while something may.
  const std::string& hopeless() const { return hopeless_; }

 private:
  SameBits wanted_;
  std::optional<search::OutputBits> bits_;
  std::string hopeless_;
};

// Marks a correct trial as one that may not win: its first objective becomes infinite. Its measurement stays as it is.
// Strategies see it as a failed trial (Strategy::tell), and it takes no part in finals, fronts and lists of the best.
void rule_out(search::Trial& trial);
// Returns false for a trial that failed, that was ruled out, or whose first objective has no value.
bool may_win(const search::Trial& trial);

}  // namespace warptune::tuner
