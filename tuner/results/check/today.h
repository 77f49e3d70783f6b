// Tells whether what is stored still holds: compares a session's key with the one that this machine would give it now.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/device/backend.h"
#include "tuner/kernel/files/session_files.h"
#include "tuner/measure/workers/program.h"
#include "tuner/session/provenance.h"

namespace warptune::tuner {

struct Standing {
  std::vector<KeyDifference> differences;  // empty: a measurement today would belong to the same session
  std::optional<DeviceInfo> device;        // one of the model it ran on; absent if there is none here
  std::filesystem::path manifest;          // its template's; empty if it was not found
  std::filesystem::path capture;           // the recorded call it was tuned on; empty if there was none
  MeasurePolicy policy;                    // the session's, or today's if that cannot be had any more
  std::optional<db::SessionKey> key;       // of a measurement today; absent if the device or the template is
  // If true, the store has no path of the session's sources, as when a program tuned it, and they were not found. Then
  // `key` is absent, and differences are the device's and the driver's alone.
  bool sources_not_kept = false;

  bool current() const { return differences.empty(); }
  // Returns the parts that differ, as "driver, source"; empty if current.
  std::string parts() const;
  // Returns the differences, as "driver (580.1 then, 590.2 now), source (changed)"; empty if current.
  std::string explanation() const;
};

// Returns where a session's template lies now; an empty path if nowhere.
using TemplateFinder = std::function<std::filesystem::path(const db::SessionRecord&)>;

// Looks at devices, compilers and sources once each, when first asked.
class Today {
 public:
  // If there is a program for a worker, the worker looks for devices, so that the driver is not opened here.
  Today(BackendOptions options, TemplateFinder find, std::optional<workers::Program> program = std::nullopt);
  ~Today();
  Today(const Today&) = delete;
  Today& operator=(const Today&) = delete;

  // Compares the session with this machine. Throws nothing for what is missing or broken here: that is a difference, in
  // words.
  Standing standing(const db::SessionRecord& session);

 private:
  const DeviceInfo* find_device(const db::DeviceRecord& recorded);
  db::SessionKey key_today(const db::SessionRecord& session, const Standing& standing);

  BackendOptions options_;
  TemplateFinder find_;
  std::optional<workers::Program> program_;
  std::optional<std::vector<DeviceInfo>> devices_;
  std::map<std::string, std::unique_ptr<Compiler>> compilers_;  // by device
  struct Read {
    std::unique_ptr<SessionFiles> texts;
    KernelTemplate kernel;
  };
  // Templates are kept by their manifest and captured call.
  std::map<std::pair<std::filesystem::path, std::filesystem::path>, std::unique_ptr<Read>> templates_;
};

}  // namespace warptune::tuner
