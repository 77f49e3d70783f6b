// One call of a kernel as an application made it: written by the runtime, tuned on by `warptune tune --capture FILE`.
//
//   {"schema": "warptune-capture/1", "kernel": "gemm", "sizes": {"M": 64, …}, "variants": {"PRECISION": "float", …},
//    "scalars": {"alpha": 1.5}, "arguments": {"a": "call.a.npy"}}
//
// `scalars` are the template's constants, `arguments` the inputs' contents; both may lack some or all. Files are
// relative to the capture's folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

struct Capture {
  std::string kernel;
  search::NamedValues sizes;
  search::NamedValues variants = {};
  search::NamedValues scalars;
  std::map<std::string, std::filesystem::path> arguments;
};

// Throws std::runtime_error naming the file.
void write_capture(const std::filesystem::path& file, const Capture& capture);

// The arguments' paths come back complete. Throws RequestError that says what is wrong with the file.
Capture read_capture(const std::filesystem::path& file);

// The template with the capture's constants and inputs instead of its own. Throws RequestError if it is of another
// kernel, or names what the template lacks.
void apply_capture(const Capture& capture, KernelTemplate& kernel);

// Tells apart the data of two captures: a part of the session's key.
std::string capture_hash(const Capture& capture);

}  // namespace warptune::tuner
