// `warptune doctor`: every check in a process of its own, all at once, and what follows from their findings. It looks,
// and changes nothing but files of its own that it removes again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/device/backend.h"
#include "tuner/device/examination.h"
#include "tuner/measure/cache/cache_options.h"

namespace warptune::tuner::doctor {

// Where the program would look and write; filled by the command line, which alone reads the environment.
struct Surroundings {
  BackendOptions backends;
  std::string home;             // $HOME; empty: not set
  std::string temporary;        // $TMPDIR, likewise
  std::filesystem::path store;  // empty: there is no place for it, and `no_store` says why
  std::string no_store;         // "…; remedy"
  std::filesystem::path cache;  // the same of the cache
  std::string no_cache;
  std::uint64_t cache_limit_bytes = 0;
  SharedCacheOptions shared_cache;               // without an address there is none
  std::string no_shared_cache;                   // what is wrong with the one that was named
  std::vector<std::filesystem::path> templates;  // folders, in the order of search
  double patience_s = 60;                        // for one check
};

// One question about the machine; the backends have their own (tuner/device/examination.h). An error
// is what no session can do without; what only costs time or comfort is a warning.
struct Check {
  std::string name;
  std::vector<Finding> (*look)(const Surroundings& surroundings) = nullptr;
};

// In the order of printing; the one list of them (diagnosis.cpp).
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

}  // namespace warptune::tuner::doctor
