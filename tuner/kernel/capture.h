// A capture is one call of a kernel as an application made it. The runtime writes it, and `warptune tune --capture
// FILE` tunes on it.
//
//   {"schema": "warptune-capture/1", "kernel": "gemm", "sizes": {"M": 64, …}, "variants": {"PRECISION": "float", …},
//    "scalars": {"alpha": 1.5}, "arguments": {"a": "call.a.npy"}}
//
// A capture is one JSON file. `schema` ends with a number that is raised when older readers would be misled. Readers
// skip members that they do not know. `sizes` has every size of the template. `scalars` has the template's constants,
// and `arguments` has the inputs' contents as .npy files (numpy's format 1.0, C order, little-endian). The runtime
// names these files `<capture's name without .json>.<argument>.npy`. Both members may lack some or all of their
// entries, which are then the template's own. A constant that JSON has no number for is a text: "inf", "-inf", "nan".
// Files are relative to the capture's folder. Rejected: one binary file. Whoever has Python can read, make and change
// these.
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
  // The values are numbers. A uint64 beyond int64 is a text of its digits. What JSON has no number for ("inf") is a
  // text once it is read.
  search::NamedValues scalars;
  std::map<std::string, std::filesystem::path> arguments;
};

// Throws std::runtime_error naming the file.
void write_capture(const std::filesystem::path& file, const Capture& capture);

// Returns the capture with complete paths of its arguments. Throws RequestError that says what is wrong with the file.
Capture read_capture(const std::filesystem::path& file);

// Replaces the template's constants and inputs by the capture's. Throws RequestError if the capture is of another
// kernel, or names what the template lacks.
void apply_capture(const Capture& capture, KernelTemplate& kernel);

// Returns a hash that tells apart the data of two captures. It is a part of the session's key.
std::string capture_hash(const Capture& capture);

}  // namespace warptune::tuner
