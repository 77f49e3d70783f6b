// Keeps loaded programs by content. On disk they are entries of the one cache of machine code (tuner/measure/cache).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "tuner/library/runtime/target.h"
#include "tuner/measure/cache/cached_compiler.h"

namespace warptune::runtime {

// Programs come from memory, else from the cache folder, else from the compiler. Two threads that want the same program
// compile it once. The class is thread-safe. The target must outlive it.
class Programs {
 public:
  // Without a cache folder nothing is kept on disk. The target keeps to the time limit, which is only named in errors
  // here.
  Programs(Target& target, const Options& options);

  // Returns a program. Throws Error with the compiler's log or the time limit that was exceeded, and DeviceError.
  std::shared_ptr<Program> get(const tuner::CompileRequest& request);
  Counts counts() const { return {compiled_.load(), from_disk_.load()}; }

 private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<Program> program;
  };

  tuner::MachineCode code(const tuner::CompileRequest& request);

  Target& target_;
  const double compile_timeout_s_;
  tuner::CachedCompiler compiler_;
  std::atomic<std::int64_t> compiled_{0}, from_disk_{0};
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace warptune::runtime
