// The data of one problem on one device: inputs filled once, the reference's outputs, the temporaries of the
// configuration at hand, and what restores, poisons and checks them around each run.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "search/error.h"
#include "tuner/device/backend.h"
#include "tuner/kernel/plan.h"
#include "tuner/measure/guarded_buffer.h"
#include "tuner/measure/inspection.h"

namespace warptune::tuner {

// The problem itself cannot be set up (too large for the memory, a reference that does not compile or crashes): no
// configuration could ever be measured, so it ends the session before it begins.
using WorkloadError = search::ErrorOf<search::ErrorKind::workload>;

class Workload {
 public:
  // Allocates and fills everything, and runs the reference. `constants` are sizes and device limits. With `verify`
  // false there is no reference. Throws WorkloadError. The template, device and compiler must outlive the workload.
  Workload(const KernelTemplate& kernel, const search::NamedValues& constants, Device& device, Compiler& compiler,
           const BackendOptions& options, bool verify);

  // The memory of an argument, or of a temporary of the latest plan. Throws std::out_of_range for a scalar or unknown
  // name.
  MemorySpan span(const std::string& name) const;
  // The same of an argument on the host. It has memory on the device too, where it is filled, poisoned and inspected as
  // any other.
  std::span<std::byte> host_span(const std::string& name) const;

  // Makes room for a configuration's temporaries, and on the host in pinned or pageable memory. Memory is kept from one
  // configuration to the next: to allocate and free it each time would take longer than many kernels.
  void make_room(const Plan& plan);

  // Queue what makes a run start as the first one did: in-place arguments at their first values, temporaries that the
  // template wants cleared cleared.
  void restore();
  // Whether further runs without restoring do the same again.
  bool repeats_without_restoring() const;
  // Poisons outputs and the other temporaries, so that what a kernel leaves unwritten cannot pass.
  void poison();
  // Writes more than the L2 cache holds.
  void flush_cache();

  struct Verdict {
    std::string fault;                     // empty: all right
    std::vector<std::uint64_t> checksums;  // of the outputs that must come out the same bit for bit in every run
  };
  // Waits for all queued work. The first buffer written outside its bounds, or the first output that differs from the
  // reference's: "C[3,17] (element 791): expected 1.5, got nan; 4096 of 1048576 elements differ".
  Verdict inspect();

  SupportKernels& kernels() { return kernels_; }

 private:
  struct Data {
    PlannedBuffer plan;
    GuardedBuffer buffer;
    std::unique_ptr<Memory> pristine;  // of in-place arguments
    std::unique_ptr<Memory> expected;  // of outputs, in reference_type
    AllowedError allowed;
    std::array<std::unique_ptr<HostMemory>, 2> host = {};  // of arguments on the host: pageable, pinned
    bool pinned = false;                                   // which one the configuration at hand uses

    bool on_host() const { return plan.argument->on_host; }
    std::span<std::byte> host_span() const { return host.at(pinned)->span(); }
  };

  void check_memory(const search::NamedValues& constants, bool verify) const;
  void add(const Argument& argument, const search::NamedValues& constants);
  void fill(const Data& data);
  void fill_on_host(const HostFunction& function, const search::NamedValues& constants, const BackendOptions& options);
  void keep_pristine();
  void prepare_expected();
  void make_temporaries(const Plan& plan);
  void make_host_memory(Data& data, bool pinned);
  void watch();
  std::string damage(const std::vector<std::uint64_t>& words) const;
  std::string describe(const Data& data, const ComparisonReport& comparison);

  const KernelTemplate& kernel_;
  Device& device_;
  SupportKernels kernels_;
  Inspection inspection_;
  std::map<std::string, std::unique_ptr<Data>> data_;  // a map for stable, sorted iteration
  std::map<std::string, std::unique_ptr<GuardedBuffer>> temporaries_;
  std::unique_ptr<Memory> flushed_;  // as soon as it is needed
};

}  // namespace warptune::tuner
