// Writes what a compilation depends on as one text to hash. NVRTC has no preprocess-only mode (tried: -E, --preprocess
// and -M are unknown to 13.0).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/device/compile/compiler.h"

namespace warptune::tuner {

// Returns the defines, then the source with every #include replaced by its file's text, recursively, each file once. A
// file is looked for in its includer's folder (in quotes), the request's folders, `toolkit_includes` and, unless the
// request has a root, Warptune's own headers (device_headers.h). What is not found is a header of NVRTC's own, and its
// line stays. An include given by a macro is followed if the macro is one of the defines. Files that the request's
// folders hold for includes which no plain line shows follow at the end (include_scan.h). Conditions are not evaluated:
// the text may hold more than the compiler sees. It names no folder, so a moved tree keeps its keys.
std::string include_text(const CompileRequest& request, const std::vector<std::filesystem::path>& toolkit_includes);

}  // namespace warptune::tuner
