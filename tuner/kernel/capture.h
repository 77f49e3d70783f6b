// One call of a kernel as an application made it: written by the runtime, tuned on by `warptune tune --capture FILE`.
//
//   {"schema": "warptune-capture/1", "kernel": "gemm", "sizes": {"M": 64, …}, "variants": {"PRECISION": "float", …},
//    "scalars": {"alpha": 1.5}, "arguments": {"a": "call.a.npy"}}
//
// JSON in one file. `schema` comes with a number that is raised when older readers would be misled; members that are
// not known are skipped. `sizes` has every size of the template. `scalars` are the template's constants, `arguments`
// the inputs' contents as .npy files (numpy's format 1.0, C order, little-endian), named
// `<capture's name without .json>.<argument>.npy` by the runtime; both may lack some or all, which are then the
// template's own. A constant that JSON has no number for is a text: "inf", "-inf", "nan". Files are relative to the
// capture's folder. Not one binary file: whoever has Python can read, make and change these.
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
  // Numbers. As texts: a uint64 beyond int64 (its digits) and, once read, what JSON has no number for ("inf").
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
