// What a Tuner was told. Private to tuner/api.
#pragma once

#include "db/records.h"
#include "tuner/api/tuner.h"
#include "tuner/compiler.h"

namespace warptune {

struct Tuner::Problem {
  struct Source {
    std::string text;
    std::vector<std::string> kernels;
    std::vector<std::string> options;
  };

  KernelTemplate kernel;  // its name, parameters, sizes, metrics; arrays as arguments, for their types
  std::vector<Source> sources;
  std::vector<Constraint> constraints;
  std::vector<ArraySpec> arrays;
  Launcher launcher;
  ReferenceFunction reference;
  bool verify = true;

  std::string objective = "time";
  std::string strategy = "local_search";
  NamedValues strategy_options;
  std::uint64_t seed = 0;
  std::string device;
  EvaluatorOptions options;
  SessionObserver* observer = nullptr;
  std::filesystem::path store = ":memory:";
  std::string version;

  // Throws std::invalid_argument that says what is missing.
  void require_complete() const;

  // One for each source, with the parameters as macros.
  std::vector<CompileRequest> requests(const NamedValues& scope) const;

  // `constants` are sizes and device limits.
  db::SessionKey key(const DeviceInfo& device, Compiler& compiler, const NamedValues& constants,
                     const MeasurePolicy& policy) const;
};

}  // namespace warptune
