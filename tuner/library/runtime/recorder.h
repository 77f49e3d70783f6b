// Makes captures: writes the next launch of a kernel down for `warptune tune --capture` (tuner/kernel/capture.h has the
// file).
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "tuner/kernel/problem.h"
#include "tuner/library/runtime/call.h"
#include "tuner/library/runtime/target.h"

namespace warptune::runtime {

// A Recorder writes the next launch down when asked to. It is thread-safe: of launches at the same time, one is
// recorded.
class Recorder {
 public:
  void arm(const std::filesystem::path& file, CaptureOptions options);

  // Returns whether the next launch is to be recorded. It costs a launch one atomic load.
  bool armed() const { return armed_.load(std::memory_order_acquire); }

  // Writes this launch down, unless another one was recorded meanwhile. Throws Error if a file cannot be written, and
  // DeviceError.
  void record(const tuner::KernelTemplate& kernel, const Signature& signature, const tuner::Problem& problem,
              const ArgumentBytes* arguments, Target& target, Stream stream);

 private:
  struct Wanted {
    std::filesystem::path file;
    CaptureOptions options;
  };
  std::atomic<bool> armed_{false};
  std::mutex mutex_;
  std::optional<Wanted> wanted_;
};

}  // namespace warptune::runtime
