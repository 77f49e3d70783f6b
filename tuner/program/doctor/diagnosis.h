// Runs the checks of `warptune doctor`, each in a process of its own, all at once, and says what follows from their
// findings. The checks look, and change nothing but files of their own that they remove again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/device/backend.h"
#include "tuner/device/examination.h"
#include "tuner/measure/cache/cache_options.h"

namespace warptune::tuner::doctor {

// Surroundings say where the program would look and write. The command line fills them, since it alone reads the
// environment.
struct Surroundings {
  BackendOptions backends;
  std::string home;             // $HOME; empty: not set
  std::string temporary;        // $TMPDIR, likewise
  std::filesystem::path store;  // empty: there is no place for it, and `no_store` says why
  std::string no_store;         // "…; remedy"
  std::filesystem::path cache;  // empty: there is no place for it, and `no_cache` says why
  std::string no_cache;
  std::uint64_t cache_limit_bytes = 0;
  SharedCacheOptions shared_cache;               // without an address there is none
  std::string no_shared_cache;                   // what is wrong with the one that was named
  std::vector<std::filesystem::path> templates;  // folders, in the order of search
  double patience_s = 60;                        // for one check
};

// A check is one question about the machine; the backends have their own (tuner/device/examination.h). A finding is an
// error if no session can do without what is missing, and a warning if that only costs time or comfort.
struct Check {
  std::string name;
  std::vector<Finding> (*look)(const Surroundings& surroundings) = nullptr;
};

// Returns the checks in the order of printing. diagnosis.cpp has the only list of them.
const std::vector<Check>& machine_checks();

struct Line {
  std::string part;   // a backend's name, or "machine"
  std::string check;  // "NVRTC"
  Finding finding;
};

struct Diagnosis {
  std::vector<Line> lines;
  std::vector<std::string> usable;  // backends that ran a kernel of ours and gave the right result

  bool machine_is_fit() const;  // no error outside the backends
  int count(Health health) const;
};

Diagnosis diagnose(const Surroundings& surroundings);

// These are the checks of the machine itself, and the one that every backend shares.
std::vector<Finding> look_at_home(const Surroundings& surroundings);
std::vector<Finding> look_at_store(const Surroundings& surroundings);
std::vector<Finding> look_at_cache(const Surroundings& surroundings);
std::vector<Finding> look_at_templates(const Surroundings& surroundings);
std::vector<Finding> look_at_temporary_files(const Surroundings& surroundings);
std::vector<Finding> look_at_disk(const Surroundings& surroundings);
std::vector<Finding> look_at_process_limits(const Surroundings& surroundings);

// Compiles a kernel of a few lines for each device of the backend, runs it and compares what it wrote.
std::vector<Finding> try_kernel(const BackendEntry& backend, const BackendOptions& options);

}  // namespace warptune::tuner::doctor
