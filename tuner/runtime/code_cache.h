// Loaded programs in memory, and their code in a folder for the next process.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tuner/runtime/target.h"

namespace warptune::runtime {

// Loaded programs by content: from memory, else from the folder, else compiled; two threads that want the same one
// compile it once. Thread-safe. The target must outlive it.
class CodeCache {
 public:
  // Without a folder nothing is kept on disk.
  CodeCache(Target& target, std::filesystem::path folder) : target_(target), folder_(std::move(folder)) {}

  // Throws Error with the compiler's log, DeviceError.
  std::shared_ptr<Program> get(const tuner::CompileRequest& request);
  Counts counts() const { return {compiled_.load(), from_disk_.load()}; }

 private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<Program> program;
  };

  tuner::MachineCode code(const tuner::CompileRequest& request);

  Target& target_;
  std::filesystem::path folder_;
  std::atomic<std::int64_t> compiled_{0}, from_disk_{0};
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

// One file of the folder: a line with the format and the checksum of what follows, the linkage names, the bytes. `read`
// gives nothing for a file that is missing, cut short or damaged; `write` gives up silently.
std::optional<tuner::MachineCode> read_code(const std::filesystem::path& file);
void write_code(const std::filesystem::path& file, const tuner::MachineCode& code);

}  // namespace warptune::runtime
