// The data of one problem on one device: inputs filled once, the reference's outputs, and what restores, poisons and
// checks them around each run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tuner/backends/backend.h"
#include "tuner/kernel/plan.h"
#include "tuner/measure/guarded_buffer.h"

namespace warptune {

// The problem itself cannot be set up (too large for the memory, a reference that does not compile or crashes): no
// configuration could ever be measured, so it ends the session before it begins.
class WorkloadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Workload {
 public:
  // Allocates and fills everything, and runs the reference. `constants` are sizes and device limits. With `verify`
  // false there is no reference. Throws WorkloadError. The template, device and compiler must outlive the workload.
  Workload(const KernelTemplate& kernel, const NamedValues& constants, Device& device, Compiler& compiler,
           const BackendOptions& options, bool verify);

  // An argument's device memory. Throws std::out_of_range for a scalar or unknown name.
  MemorySpan span(const std::string& argument) const { return data_.at(argument)->buffer.span(); }

  // Puts in-place arguments back to their first values.
  void restore();
  // Poisons the outputs, so that what a kernel leaves unwritten cannot pass.
  void poison_outputs();

  // The first output that differs from the reference's: "C[3,17] (element 791): expected 1.5, got nan; 4096 of 1048576
  // elements differ"; nothing if all are right.
  std::optional<std::string> mismatch();
  // The first buffer written outside its bounds; nothing if all are intact.
  std::optional<std::string> damage();

  SupportKernels& kernels() { return kernels_; }

 private:
  struct Data {
    PlannedBuffer plan;
    GuardedBuffer buffer;
    std::unique_ptr<Memory> pristine;  // of in-place arguments
    std::unique_ptr<Memory> expected;  // of outputs, in reference_type
    double absolute = 0, relative = 0;
  };

  void check_memory(const NamedValues& constants, bool verify) const;
  void add(const Argument& argument, const NamedValues& constants);
  void fill(const Data& data);
  void fill_on_host(const HostFunction& function, const NamedValues& constants, const BackendOptions& options);
  void keep_pristine();
  void prepare_expected();
  std::string describe(const Data& data, const Comparison& comparison);

  const KernelTemplate& kernel_;
  Device& device_;
  SupportKernels kernels_;
  std::map<std::string, std::unique_ptr<Data>> data_;  // a map for stable, sorted iteration
};

}  // namespace warptune
