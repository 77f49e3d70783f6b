// Guesses how fast a configuration is from all that is known before anything was run: the manifest, the device's limits
// and what parameters say by their names. The model has a handful of terms, each of which any guide to optimising CUDA
// has (Williams, Waterman and Patterson 2009 for roofs; Little's law for bytes in flight; Volkov 2010 for work a
// thread; the CUDA C++ Best Practices Guide for waves, occupancy and bank conflicts). Nothing in it is for one
// template. A model learnt from recorded spaces was rejected: it would know those templates and no other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/space/search_space.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/session/first_guess/launch_shape.h"
#include "tuner/session/first_guess/words.h"

namespace warptune::tuner {

// A Machine is what a device can do, as far as a guess of times needs it. Limits are of one multiprocessor; rates are
// per microsecond and of the whole device.
struct Machine {
  double multiprocessors = 1, threads = 2048, blocks = 32, shared_bytes = 0, registers = 65536;
  double clocks = 0;                  // of one multiprocessor
  double bytes = 0, cache_bytes = 0;  // of memory, of the L2 cache
};

// Returns what a device can do. What it does not tell is a usual GPU's.
Machine machine_of(const DeviceInfo& device);

// Returns the operations of one multiprocessor per clock; a multiply-add counts twice (CUDA C++ Programming Guide,
// "Arithmetic Instructions"; for tensor cores the whitepapers of the A100 and the H100, dense). `arithmetic` is as in
// Work.
double operations_per_clock(std::int64_t capability, const std::string& arithmetic);

// Guesses the times of a template's configurations. It refers to the space, which must outlive it. It is immutable and
// thread-safe.
class FirstGuess {
 public:
  // `constants` are what expressions see beside the configuration's values.
  FirstGuess(const KernelTemplate& kernel, const search::NamedValues& constants, const DeviceInfo& device,
             const search::SearchSpace& space);

  // Returns the logarithm of the expected time in microseconds. Only differences mean something.
  double operator()(const search::Configuration& configuration) const;

 private:
  struct Task {
    double flops = 0, bytes = 0, outputs = 1, bytes_out = 0, element_bytes = 4, operations_per_clock = 256;
    bool tensor = false;
    bool cached = false;   // all of it fits into the L2 cache
    bool product = false;  // operands are used many times
  };
  struct Fit;

  void learn_of_task(const KernelTemplate& kernel, const search::NamedValues& constants);
  Fit fit(const LaunchShape& shape, const Said& said) const;
  double memory_us(const LaunchShape& shape, const Said& said, const Fit& fit) const;
  double arithmetic_us(const Fit& fit) const;
  double product_us(const LaunchShape& shape, const Said& said, const Fit& fit) const;
  double ends_us(const Said& said, const Fit& fit) const;
  double memory_rate() const;
  double registers_needed(const Fit& fit) const;
  double registers_wanted(const LaunchShape& shape, const Said& said, const Fit& fit) const;
  double waiting(const Said& said) const;
  double unlike_default(const search::Configuration& configuration) const;

  const search::SearchSpace* space_;
  LaunchShapes shapes_;
  Words words_;
  Machine machine_;
  Task task_;
  std::vector<std::size_t> default_choices_;  // by parameter; no_choice for those without a default
};

}  // namespace warptune::tuner
