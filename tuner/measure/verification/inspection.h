// Inspects what runs left: guard bands, protected memory, and outputs beside what they should be. Formats their
// elements for messages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tuner/device/device.h"
#include "tuner/device/element_type.h"
#include "tuner/measure/memory/protected_memory.h"
#include "tuner/measure/memory/support_kernels.h"

namespace warptune::tuner {

// Queues the whole inspection behind the runs, and brings back what was found by one small copy. Waiting for each
// buffer would take longer than most kernels.
class Inspection {
 public:
  // The result of comparing one output. It is proved by a number that only the comparing kernel could compute, so a
  // kernel that writes to the findings' memory cannot make them right.
  struct Comparison {
    ComparisonReport report;
    std::size_t elements = 0;  // elements of all runs
    bool proved = false;       // whether all elements are right
  };
  struct Findings {
    std::vector<std::uint64_t> damage;            // for each guard: the first changed byte, or `intact`
    std::vector<std::uint64_t> changed;           // what the check of protected memory found
    std::vector<std::vector<Comparison>> checks;  // by call of `check`, then by output
  };
  static constexpr std::uint64_t intact = ~std::uint64_t{0};
  static constexpr std::size_t most_checks = 8;

  // `secret` is the seed of everything that kernels must not guess.
  Inspection(Device& device, SupportKernels& kernels, std::uint64_t secret)
      : device_(device), kernels_(kernels), secret_(secret) {}

  // Sets what is inspected from now on, and poisons the guards. Every check has as many outputs as given. The audit may
  // be null.
  void watch(const std::vector<Guard>& guards, std::size_t outputs, ProtectedMemory* protected_memory);
  // Queues comparing what one run left, or several runs whose poisons follow each other. At most `most_checks` checks
  // are possible until the next `run`.
  void check(const std::vector<ComparedOutput>& outputs, std::uint64_t round, std::uint64_t noise);
  std::size_t checks() const { return checks_.size(); }
  // Waits for all queued work and returns what was found. Guards get new contents.
  Findings run(int set, bool thorough);
  // Checks only protected memory, at every byte.
  std::vector<std::uint64_t> check_protected(int set);

 private:
  struct Checked {
    std::vector<ComparedOutput> outputs;
    std::uint64_t secret;
  };
  std::size_t head() const { return (guards_ + (protected_ ? protected_->size() : 0)) * sizeof(std::uint64_t); }
  std::uint64_t protected_address() const { return report_->span().address + guards_ * sizeof(std::uint64_t); }
  void blank();
  std::uint64_t next_secret();

  Device& device_;
  SupportKernels& kernels_;
  std::uint64_t secret_;
  std::uint64_t phase_ = 0;
  std::size_t guards_ = 0, most_guard_bytes_ = 0, outputs_ = 0;
  ProtectedMemory* protected_ = nullptr;
  std::vector<Checked> checks_;
  std::unique_ptr<Memory> table_;  // the table of guards
  std::unique_ptr<Memory> blank_;  // a report that found nothing
  std::unique_ptr<Memory>
      report_;  // 64 bits for each guard and each region, then a ComparisonReport for each output and check
};

// Fetches one element of a device buffer, and returns it as text for a message.
std::string element_text(Device& device, MemorySpan buffer, ElementType type, std::size_t index);

}  // namespace warptune::tuner
