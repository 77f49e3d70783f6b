// Declares the compiler of the host backend.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "tuner/device/compile/compiler.h"
#include "tuner/system/child.h"

namespace warptune::tuner::host {

// Uses the system's C++ compiler (GCC or Clang) as a compiler of CUDA C++ for the host.
class HostCompiler : public Compiler {
 public:
  // `program` is looked up in PATH. Throws NoDeviceError if it cannot be run.
  HostCompiler(std::string program, double timeout_s);

  std::string version() const override { return version_; }
  // Preprocesses what is really compiled, of which the shim is a part. A source that cannot be preprocessed gives what
  // there is, followed by the log; compiling it says what is wrong.
  std::string preprocess(const CompileRequest& request) override;
  CompileResult compile(const CompileRequest& request) override;

 private:
  // Writes what is to be compiled into the folder, and returns the compiler's command. Its last argument is the source.
  std::vector<std::string> command(const CompileRequest& request, const std::filesystem::path& folder);
  std::vector<std::string> tracking_options() const;
  // Compiles the functions that a tracked module calls to `object`.
  ChildResult compile_hooks(const std::filesystem::path& folder, const std::filesystem::path& object,
                            const ChildLimits& limits) const;
  CompileResult compile_in(const std::filesystem::path& folder, const CompileRequest& request);
  std::string foreign_include(const CompileRequest& request, const std::filesystem::path& folder,
                              const std::filesystem::path& rule) const;
  // Says what the source's assembler instructions read from the disk. The text is empty if they read nothing.
  std::string assembled_file(const CompileRequest& request, const std::filesystem::path& rule) const;

  bool uses_openmp(const CompileRequest& request);

  std::string program_;
  double timeout_s_;
  std::once_flag openmp_looked_for_;
  bool has_openmp_ = false;
  bool clang_ = false;
  std::string version_;
};

}  // namespace warptune::tuner::host
