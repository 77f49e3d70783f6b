// Headers that a kernel's compiler does without: those of the host's libraries. Where NVRTC and g++ look there is none
// of most of them, and a program that calls cuBLAS beside its kernels would not compile.
#pragma once

#include <string>
#include <string_view>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner {

// <vector>, <stdio.h>, <cuda_runtime.h> …: what NVRTC has not, or has without being asked.
bool is_host_header(std::string_view name);
// Those of them that are CUDA's.
bool is_cuda_host_header(std::string_view name);

// <cublasLt.h>, <mpi.h>, <helper_cuda.h> …: libraries that only the host calls.
bool is_host_library(std::string_view name);
// One that this text needs for nothing but its host part: no device code has a name of the library's, as cufftComplex.
bool is_unneeded_library(std::string_view name, const SourceOutline& outline);

// Includes of <cuda_fp16.h>, <cuda_bf16.h> and <cuComplex.h>, which cuBLAS and its like bring along, as far as the code
// has their names; a line each. Nothing if none of `outline`'s includes brings them.
bool brings_numbers(std::string_view name);
std::string includes_of_numbers(TokenSpan code);

}  // namespace warptune::tuner
