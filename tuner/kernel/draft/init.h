// Drafts a manifest from a source, for `warptune init`. It guesses as a reader would, says what it guessed and why, and
// leaves blank what it does not know, so that the manifest's own reader stops there. (Rejected: asking a compiler.
// NVRTC says nothing of a source, and a GPU machine may have no other.)
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner::draft {

inline constexpr char no_opencl[] =
    "its kernels are OpenCL's; Warptune tunes those of CUDA. Write it as CUDA: __global__ for __kernel, no __global "
    "before pointers, blockIdx, blockDim and threadIdx for get_group_id, get_local_size and get_local_id";

struct InitRequest {
  std::filesystem::path source;
  std::filesystem::path reference;  // empty: none
  std::filesystem::path manifest;   // where it will be, for paths in it
  std::string kernel;               // empty: the first
  std::string schema;               // the schema that the manifest's first line names
  bool any_size = false;            // leave out constraints that keep a kernel without bounds to whole blocks
};

struct InitResult {
  std::string text;
  std::vector<std::string> kernels;          // the kernels that it launches, in order
  std::vector<std::string> blanks, guesses;  // sentences; with a blank, the manifest does not load yet
  std::vector<std::string> guessed;          // a line for each kind: "sizes: n = 4194304" (guessed.h)
  std::size_t parameters = 0;
};

// Throws RequestError where the manifest would take the place of the source or the reference, also through a link.
void check_place(const InitRequest& request);

// Throws RequestError for what cannot be read, holds no kernel, or is no reference.
InitResult describe_source(const InitRequest& request);

}  // namespace warptune::tuner::draft
