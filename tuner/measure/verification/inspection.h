// Looks at what runs left: guard bands, protected memory, and outputs beside what they should be.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tuner/measure/memory/audit.h"
#include "tuner/measure/memory/support_kernels.h"

namespace warptune::tuner {

// All of it is queued behind the runs, and one small copy brings back what was found. A wait for each buffer would take
// longer than most kernels.
class Inspection {
 public:
  // A verdict about an output is proved by a number that only the comparing kernel could compute: a kernel that writes
  // to the findings' memory cannot make them right.
  struct Comparison {
    ComparisonReport report;
    std::size_t elements = 0;  // of all runs
    bool proved = false;       // they are right
  };
  struct Findings {
    std::vector<std::uint64_t> damage;            // a guard each: the first changed byte, or `intact`
    std::vector<std::uint64_t> changed;           // what the audit found
    std::vector<std::vector<Comparison>> checks;  // in the order of `check`; of each output
  };
  static constexpr std::uint64_t intact = ~std::uint64_t{0};
  static constexpr std::size_t most_checks = 8;

  // `secret` is the seed of everything that kernels must not guess.
  Inspection(Device& device, SupportKernels& kernels, std::uint64_t secret)
      : device_(device), kernels_(kernels), secret_(secret) {}

  // What to look at from now on; every check has as many outputs. Poisons the guards. The audit may be null.
  void watch(const std::vector<Guard>& guards, std::size_t outputs, Audit* audit);
  // Queues comparing what one run left, or several that began with the next poisons; at most `most_checks` until the
  // next `run`.
  void check(const std::vector<ComparedOutput>& outputs, std::uint64_t round, std::uint64_t noise);
  std::size_t checks() const { return checks_.size(); }
  // Waits for all queued work. Guards get new contents.
  Findings run(int set, bool thorough);
  // The audit alone, at every byte.
  std::vector<std::uint64_t> audit_all(int set);

 private:
  struct Checked {
    std::vector<ComparedOutput> outputs;
    std::uint64_t secret;
  };
  std::size_t head() const { return (guards_ + (audit_ ? audit_->size() : 0)) * sizeof(std::uint64_t); }
  std::uint64_t audit_address() const { return report_->span().address + guards_ * sizeof(std::uint64_t); }
  void blank();
  std::uint64_t next_secret();

  Device& device_;
  SupportKernels& kernels_;
  std::uint64_t secret_;
  std::uint64_t phase_ = 0;
  std::size_t guards_ = 0, most_guard_bytes_ = 0, outputs_ = 0;
  Audit* audit_ = nullptr;
  std::vector<Checked> checks_;
  std::unique_ptr<Memory> table_;   // the guards
  std::unique_ptr<Memory> blank_;   // a report that found nothing
  std::unique_ptr<Memory> report_;  // 64 bits a guard, 64 bits a region, then a ComparisonReport an output and check
};

}  // namespace warptune::tuner
