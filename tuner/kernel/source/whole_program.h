// Extracts the part of a whole CUDA program that a kernel's compiler needs. Lectures and samples come as one file with
// main(), <<<…>>> and #include <stdio.h>, and NVRTC takes none of that. Nor can a parameter's value reach a macro that
// the file defines itself. (Rejected: writing a second file, which would go its own way; NVRTC's default-device mode
// alone, for which cudaMalloc stays unknown.)
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner {

// `device_part` returns the text with as many lines, some of which are empty. These are functions and variables for the
// host alone, includes of the C and C++ standard libraries, of CUDA's runtime and of libraries that only the host calls
// (host_headers.h), `using namespace`, and definitions of `given` names, be they macros or constants. A line that
// device code shares with one of these stays. HostIncludes says whether the includes go.
enum class HostIncludes { dropped, kept };
// With `needed`, kernels of other names that nothing on the device mentions go, too, because what they use need not be
// there.
std::string device_part(std::string_view source, const std::set<std::string>& given,
                        HostIncludes includes = HostIncludes::dropped, const std::set<std::string>& needed = {});

// Returns the names of variables like `texture<float, 2> tex;`, which CUDA 12 has no more.
std::set<std::string> texture_references(const SourceOutline& outline);

// Returns a device part to be compiled. What kernels use of the missing headers (FLT_MAX, uint8_t, M_PI …) comes first,
// on lines that do not count. `name` is what messages call the file.
std::string with_substitutes(std::string_view device_part, std::string_view name);
std::string compilable_device_part(std::string_view source, const std::set<std::string>& given, std::string_view name);

// Returns whether a header has anything for the host alone.
bool has_host_part(std::string_view header);

// Returns whether the source has something that `device_part` leaves out, or a type that nvcc's host headers bring
// without being asked: uint, ushort.
bool is_whole_program(std::string_view source, const std::set<std::string>& given);

// An OwnDefinition is what a source defines itself although the compiler is given it. Where that is not guarded, only
// Warptune's own compiling takes the given value.
struct OwnDefinition {
  std::string name;
  int line = 0;
  bool is_constant = false;  // constexpr int N = 4, else #define N 4
  bool is_guarded = false;   // between #ifndef N and #endif, so that every compiler takes a value that is given
};
std::vector<OwnDefinition> own_definitions(std::string_view source, const std::set<std::string>& given);

}  // namespace warptune::tuner
