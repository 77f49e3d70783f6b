// Captures: the next launch of a kernel, written down for `warptune tune --capture` (tuner/kernel/capture.h has the
// file).
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "tuner/kernel/problem.h"
#include "tuner/library/runtime/call.h"
#include "tuner/library/runtime/target.h"

namespace warptune::runtime {

// Writes the next launch down when asked to. Thread-safe: of launches at the same time, one is recorded.
class Recorder {
 public:
  void arm(const std::filesystem::path& file, CaptureOptions options);

  // One relaxed load when nothing was asked for.
  bool armed() const { return armed_.load(std::memory_order_acquire); }

  // Throws Error if a file cannot be written, DeviceError.
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
