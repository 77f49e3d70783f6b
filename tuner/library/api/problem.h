// Holds what a Tuner was told, and makes it a kernel template like any other. It is private to tuner/library/api.
#pragma once

#include "search/space/search_space.h"
#include "tuner/device/compile/compiler.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/library/api/tuner.h"
#include "tuner/session/request.h"

namespace warptune {

struct Tuner::Problem {
  struct Source {
    std::string text;
    std::vector<std::string> kernels;
    std::vector<std::string> options;
  };

  std::string name;
  std::vector<search::Parameter> parameters;
  search::NamedValues default_values;
  search::NamedValues sizes;
  std::vector<search::Parameter> variants;  // of one value each
  std::vector<Source> sources;
  std::vector<search::Constraint> constraints;
  std::vector<ArraySpec> arrays;
  std::vector<tuner::Metric> metrics;
  Launcher launcher;
  ReferenceFunction reference;
  bool verify = true;

  tuner::TuneRequest request;  // how it is tuned; nothing of what is tuned
  tuner::SessionObserver* observer = nullptr;
  std::filesystem::path store = ":memory:";
  std::string version;

  // Each throws std::invalid_argument that names what it is about: "the size 'n' of gemm: …".
  [[noreturn]] void refuse(const char* what, const std::string& called, const std::string& why) const;
  // Requires a new name for a size, variant or parameter, by the rules of manifests (kernel/names.h).
  void require_new(const char* what, const std::string& called) const;
  void require_new_metric(const std::string& called) const;
  // Requires all parts that a tuner needs. The error also says what is missing.
  void require_complete() const;
  // The problem must outlive the template.
  tuner::KernelTemplate kernel_template() const;

 private:
  // Throws std::invalid_argument for a name that is no parameter's and a value outside its domain.
  void require_defaults() const;
  // Returns one request for each source, with the parameters and variants as macros.
  std::vector<tuner::CompileRequest> requests(const search::NamedValues& scope) const;
  std::string description() const;
  search::NamedValues complete_defaults() const;
};

}  // namespace warptune
