#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "search/random.h"
#include "tuner/api/problem.h"
#include "tuner/measure/guarded_buffer.h"
#include "tuner/measure/inspection.h"

namespace warptune {

// A problem's arrays on a device, between guard bands, with what the reference makes of them.
class ArraySet {
 public:
  // Allocates, uploads, and calls the reference on the host. The problem and the device must outlive the set.
  ArraySet(const Tuner::Problem& problem, tuner::Device& device, tuner::Compiler& compiler);

  // Throws std::invalid_argument for an unknown name.
  tuner::MemorySpan span(const std::string& name) const;
  void clear(tuner::MemorySpan span);
  tuner::SupportKernels& kernels() { return kernels_; }

  // Puts in-place arrays back.
  void restore();  // inputs too
  // Before each run, verified or timed: outputs and scratch memory hold poison, another each time.
  void prepare();
  // What is wrong after it: a write outside an array, or an element that differs; empty if all is right.
  std::string fault();

 private:
  std::string damage();

  struct Data {
    const ArraySpec* spec;
    tuner::GuardedBuffer buffer;
    std::unique_ptr<tuner::Memory> pristine;  // of inputs and in-place arrays
    std::uint64_t key;
  };

  const Tuner::Problem& problem_;
  tuner::Device& device_;
  search::Rng rng_;
  tuner::SupportKernels kernels_;
  tuner::Inspection inspection_;  // of the guard bands; elements are compared on the host
  std::map<std::string, Data> data_;
  HostArrays expected_;
};

}  // namespace warptune
