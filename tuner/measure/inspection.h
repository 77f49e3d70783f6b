#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tuner/measure/support_kernels.h"

namespace warptune::tuner {

// One output beside what it should be.
struct ComparedOutput {
  MemorySpan got;
  ElementType type = ElementType::f32;
  MemorySpan expected;
  ElementType expected_type = ElementType::f64;
  std::size_t elements = 0;
  AllowedError allowed;
};

// Checks every guard band and every output in one go: all of it is queued behind the run, and one small copy brings
// back what was found. A wait for each buffer would take longer than most kernels.
class Inspection {
 public:
  struct Findings {
    std::vector<std::uint64_t> damage;  // a guard each: the first changed word, or `intact`
    std::vector<ComparisonReport> comparisons;
  };
  static constexpr std::uint64_t intact = ~std::uint64_t{0};

  Inspection(Device& device, SupportKernels& kernels) : device_(device), kernels_(kernels) {}

  // What to look at from now on. Poisons the guards.
  void watch(const std::vector<Guard>& guards, std::vector<ComparedOutput> outputs);
  // Waits for all queued work. Damaged guards are repaired.
  Findings run();

 private:
  MemorySpan report() const { return {report_->span().address, report_bytes_}; }

  Device& device_;
  SupportKernels& kernels_;
  std::size_t guards_ = 0;
  std::vector<ComparedOutput> outputs_;
  std::size_t report_bytes_ = 0;
  std::unique_ptr<Memory> table_;   // the guards
  std::unique_ptr<Memory> blank_;   // a report that found nothing
  std::unique_ptr<Memory> report_;  // 64 bits a guard, then a ComparisonReport an output
};

}  // namespace warptune::tuner
