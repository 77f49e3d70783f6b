// Converts a compile request to what NVRTC is given: its options, and the headers that it is handed in memory.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tuner/device/compile/compiler.h"

namespace warptune::tuner::cuda {

// Returns the request's macros as lines before its source. If they were options, NVRTC's own headers, which it reads
// before the source, would see them too, and a parameter named `type` or `T` breaks those. The text is empty where an
// option has a header read before the source, because that header is to know the macros: then they are options.
std::string define_lines(const CompileRequest& request);

// Returns the architecture, the request's own options, perhaps defines, and include folders (the request's before the
// toolkit's).
// An architecture option of the request (in one text: --gpu-architecture=sm_90a or -arch=sm_90a) replaces
// `architecture` ("sm_90") if it is a variant of it ("sm_90a"). Other architectures are for other devices and are
// dropped.
std::vector<std::string> compiler_options(const CompileRequest& request, const std::string& architecture,
                                          const std::vector<std::filesystem::path>& toolkit_includes);

// Returns the architecture among such options: "sm_90a".
std::string chosen_architecture(const std::vector<std::string>& options);

// Chooses the headers that NVRTC is handed in memory, by name. They win over files of the same name, so only headers
// that cannot be files are among them.
// Holds the headers for one request:
//  - <math.h> and its like, which NVRTC does not have, unless the user's folders have a file of that name;
//  - the CUDA runtime's headers, empty, where neither these folders nor the toolkit's have them;
//  - a header of the user's that begins with a byte order mark, without it;
//  - Warptune's own, unless the request's folders hold them. A session's copy does
//    (tuner/kernel/files/session_files.h).
class GivenHeaders {
 public:
  GivenHeaders(const CompileRequest& request, const std::vector<std::filesystem::path>& toolkit_includes);

  // Return the headers as nvrtcCreateProgram takes them. The pointers are valid as long as this object lives.
  std::vector<const char*> names() const;
  std::vector<const char*> texts() const;
  // Returns the texts that stand for standard headers which the request includes. They are a part of what its code
  // depends on.
  const std::string& included_text() const { return included_text_; }

 private:
  void give(const std::string& name, std::string text);
  void give_standard_headers(const std::vector<std::filesystem::path>& files);
  void give_cuda_headers(const CompileRequest& request, const std::vector<std::filesystem::path>& toolkit_includes);
  void give_own_headers(const CompileRequest& request);

  std::map<std::string, const char*> headers_;  // texts by name; they live as long as the program, or are in kept_
  std::deque<std::string> kept_;
  std::string included_text_;
};

}  // namespace warptune::tuner::cuda
