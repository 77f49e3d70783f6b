// Guesses how fast a configuration is from all that is known before anything was run: the manifest, the device's limits
// and what parameters say by their names. The model has a handful of terms, each of which any guide to optimising CUDA
// has (Williams, Waterman and Patterson 2009 for roofs; Little's law for bytes in flight; Volkov 2010 for work a
// thread; the CUDA C++ Best Practices Guide for waves, occupancy and bank conflicts). Nothing in it is for one
// template. A model learnt from recorded spaces was rejected: it would know those templates and no other.
#pragma once

#include <vector>

#include "search/space/search_space.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/session/prior/launch_shape.h"
#include "tuner/session/prior/machine.h"
#include "tuner/session/prior/words.h"

namespace warptune::tuner {

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
