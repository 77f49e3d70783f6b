// A tuned kernel as a callable on arrays: the arguments of a Python call become pointers and numbers, and go to
// warptune::runtime. This is the path of every launch, so nothing on it goes through Python code or makes a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "python/src/arrays.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/library/runtime/runtime.h"

namespace warptune::python {

class LaunchableKernel {
 public:
  // Opens nothing yet but the manifest: a device is the launch's matter. `options` is a request's "backend" member.
  LaunchableKernel(const std::string& options, const std::string& manifest, const std::string& wisdom,
                   const std::string& cache_folder, const std::map<std::string, std::string>& variants, bool on_host);

  // Positional arguments in the template's order; by name arguments, sizes and `stream`. Returns None.
  void launch(const nanobind::args& arguments, const nanobind::kwargs& named);
  void prepare(const nanobind::kwargs& sizes);
  std::string choice(const nanobind::kwargs& sizes);
  void capture_next(const std::string& file, bool data);
  std::string description() const;

 private:
  struct Slot {
    std::string name;
    const tuner::Argument* argument;
    ElementTypes types;            // what its elements may say they are
    nanobind::object python_name;  // interned
  };
  struct Sized {
    std::vector<std::int64_t> sizes;    // in the template's order
    std::vector<std::size_t> elements;  // of each slot's buffer
  };
  struct Call;

  runtime::Kernel& kernel();
  runtime::Kernel& open(void* context);
  void* current_context();
  void take(Call& call, std::size_t slot, nanobind::handle value) const;
  void take_named(Call& call, nanobind::handle name, nanobind::handle value) const;
  void infer_sizes(Call& call) const;
  void require_elements(const Call& call);
  const Sized& sized(const std::vector<std::int64_t>& sizes);
  std::vector<runtime::Size> sizes_of(const std::vector<std::int64_t>& values) const;
  Call sizes_only(const nanobind::kwargs& sizes) const;

  runtime::Options options_;
  std::filesystem::path manifest_, wisdom_;
  runtime::Variants variants_;
  bool on_host_;
  tuner::KernelTemplate template_;
  search::NamedValues chosen_variants_;
  std::vector<Slot> slots_;
  std::vector<Sized> known_;                 // sizes that were launched; few, so they are looked through
  std::mutex mutex_;                         // of what follows; never held together with the interpreter's lock
  std::map<void*, runtime::Kernel> opened_;  // by context
  char host_ = 0;                            // its address stands for the host among contexts
  void* last_context_ = nullptr;
  runtime::Kernel* last_ = nullptr;
};

void bind_kernel(nanobind::module_& module);

}  // namespace warptune::python
