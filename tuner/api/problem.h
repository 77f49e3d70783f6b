// What a Tuner was told. Private to tuner/api.
#pragma once

#include "db/records.h"
#include "tuner/api/tuner.h"
#include "tuner/device/compiler.h"

namespace warptune {

struct Tuner::Problem {
  struct Source {
    std::string text;
    std::vector<std::string> kernels;
    std::vector<std::string> options;
  };

  tuner::KernelTemplate kernel;  // its name, parameters, sizes, metrics; arrays as arguments, for their types
  std::vector<Source> sources;
  std::vector<search::Constraint> constraints;
  std::vector<ArraySpec> arrays;
  Launcher launcher;
  ReferenceFunction reference;
  bool verify = true;

  std::string objective = "time";
  std::string strategy = "local_search";
  search::NamedValues strategy_options;
  std::uint64_t seed = 0;
  std::string device;
  tuner::EvaluatorOptions options;
  tuner::SessionObserver* observer = nullptr;
  std::filesystem::path store = ":memory:";
  std::string version;

  // Throws std::invalid_argument that says what is missing.
  void require_complete() const;

  // One for each source, with the parameters as macros.
  std::vector<tuner::CompileRequest> requests(const search::NamedValues& scope) const;

  // `constants` are sizes and device limits.
  db::SessionKey key(const tuner::DeviceInfo& device, tuner::Compiler& compiler, const search::NamedValues& constants,
                     const tuner::MeasurePolicy& policy) const;
};

}  // namespace warptune
