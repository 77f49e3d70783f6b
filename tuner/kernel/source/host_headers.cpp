// Recognises headers by lists of their names.
#include "tuner/kernel/source/host_headers.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "search/plain_text.h"
#include "tuner/device/compile/standard_headers.h"

namespace warptune::tuner {

namespace {

// These headers are the CUDA runtime's host part.
constexpr std::string_view cuda_host_headers = R"(
cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h curand.h cuda_profiler_api.h driver_types.h
device_functions.h
)";

// These headers are of libraries that only the host calls, CUDA's and others, and of NVIDIA's samples. helper_math.h is
// none of them, because kernels calculate with it.
constexpr std::string_view host_libraries = R"(
cublas_v2.h cublas.h cublasLt.h cublasXt.h cufft.h cufftXt.h cusparse.h cusolverDn.h cusolverSp.h cudnn.h
nvToolsExt.h mpi.h nvml.h nccl.h cutil.h cutil_inline.h helper_cuda.h helper_functions.h helper_timer.h
helper_string.h helper_image.h
)";

// Returns whether a list of names, separated by white space, has this one.
bool contains_name(std::string_view list, std::string_view name) {
  const auto is_part = [](char c) { return c != ' ' && c != '\n'; };
  for (std::size_t at = list.find(name); !name.empty() && at != std::string_view::npos; at = list.find(name, at + 1))
    if (!is_part(list[at - 1]) && !is_part(list[at + name.size()])) return true;
  return false;
}

// Returns what the library's own names begin with, in small letters. It is empty where no device code has any.
std::string_view prefix_of(std::string_view header) {
  struct Library {
    std::string_view header, prefix;  // what its headers begin with, and its names
  };
  static constexpr std::array<Library, 10> libraries = {{{"cublas", "cublas"},
                                                         {"cufft", "cufft"},
                                                         {"cusparse", "cusparse"},
                                                         {"cusolver", "cusolver"},
                                                         {"cudnn", "cudnn"},
                                                         {"nccl", "nccl"},
                                                         {"nvml", "nvml"},
                                                         {"mpi", "mpi_"},
                                                         {"nvToolsExt", "nvtx"},
                                                         {"nvtx3/", "nvtx"}}};
  for (const Library& library : libraries)
    if (header.starts_with(library.header)) return library.prefix;
  return {};
}

bool begins_with(std::string_view word, std::string_view prefix) {
  return search::lower_case(std::string(word)).starts_with(prefix);
}

}  // namespace

bool is_host_header(std::string_view name) {
  return is_standard_header(name) || is_cuda_host_header(name);
}

bool is_cuda_host_header(std::string_view name) {
  return contains_name(cuda_host_headers, name);
}

bool is_host_library(std::string_view name) {
  return contains_name(host_libraries, name) || name.starts_with("nvtx3/");
}

bool is_unneeded_library(std::string_view name, const SourceOutline& outline) {
  if (!is_host_library(name)) return false;
  const std::string_view prefix = prefix_of(name);
  return prefix.empty() || std::ranges::none_of(outline.items, [&](const SourceItem& item) {
           const TokenSpan tokens = outline.tokens(item);
           return !is_host_only(item, tokens) && std::ranges::any_of(tokens, [&](const SourceToken& token) {
             return token.kind == SourceToken::Kind::word && begins_with(token.text, prefix);
           });
         });
}

bool brings_numbers(std::string_view name) {
  return name.starts_with("cublas") || name.starts_with("cusparse") || name.starts_with("cusolver") ||
         name.starts_with("cudnn") || name.starts_with("cufft") || name == "nccl.h";
}

std::string includes_of_numbers(TokenSpan code) {
  struct Header {
    std::string_view name;
    std::initializer_list<std::string_view> words;
  };
  static const std::array<Header, 3> headers = {
      {{"cuda_fp16.h", {"half", "half2", "__half", "__half2"}},
       {"cuda_bf16.h", {"nv_bfloat16", "nv_bfloat162", "__nv_bfloat16", "__nv_bfloat162"}},
       {"cuComplex.h", {"cuComplex", "cuFloatComplex", "cuDoubleComplex"}}}};
  std::string lines;
  for (const Header& header : headers)
    if (std::ranges::any_of(header.words, [&](std::string_view word) { return contains_word(code, word); }))
      lines.append("#include <").append(header.name).append(">\n");
  return lines;
}

}  // namespace warptune::tuner
