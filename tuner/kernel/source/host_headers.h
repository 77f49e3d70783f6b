// Recognises the headers that a kernel's compiler does without: those of the host's libraries. Most of them are not
// where NVRTC and g++ look, and a program that calls cuBLAS beside its kernels would not compile.
#pragma once

#include <string>
#include <string_view>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner {

// Returns whether NVRTC lacks the header, or has its content without an #include: <vector>, <stdio.h>,
// <cuda_runtime.h>.
bool is_host_header(std::string_view name);
// Returns whether the header is one of those and CUDA's own.
bool is_cuda_host_header(std::string_view name);

// Returns whether the header is of a library that only the host calls: <cublasLt.h>, <mpi.h>, <helper_cuda.h> …
bool is_host_library(std::string_view name);
// Returns whether the header is of such a library and this text needs it for nothing but its host part. Then no device
// code has a name of the library's, as cufftComplex.
bool is_unneeded_library(std::string_view name, const SourceOutline& outline);

// cuBLAS and its like bring along <cuda_fp16.h>, <cuda_bf16.h> and <cuComplex.h>. `brings_numbers` returns whether a
// library's header does so. `includes_of_numbers` returns an #include line for each of the three whose names the code
// has.
bool brings_numbers(std::string_view name);
std::string includes_of_numbers(TokenSpan code);

}  // namespace warptune::tuner
