// Looks for headers in folders, and knows by their names those that come with a toolkit or a compiler.
#include "tuner/kernel/draft/facts/own_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "tuner/kernel/source/host_headers.h"
#include "tuner/kernel/source/whole_program.h"
#include "tuner/system/files.h"

namespace warptune::tuner::draft {

namespace fs = std::filesystem;

namespace {

// Returns whether a header such as <mma.h>, <cub/cub.cuh> or <source_location> comes with a toolkit or a compiler, or
// goes with the host part.
bool comes_along(std::string_view name) {
  static constexpr std::array<std::string_view, 28> begins = {"cuda",
                                                              "cub/",
                                                              "cute/",
                                                              "cutlass/",
                                                              "cublas",
                                                              "cufft",
                                                              "cusparse",
                                                              "cusolver",
                                                              "curand",
                                                              "cuComplex.h",
                                                              "cudnn",
                                                              "nv/",
                                                              "nvtx3/",
                                                              "nvrtc",
                                                              "nvJitLink",
                                                              "cooperative_groups",
                                                              "thrust/",
                                                              "crt/",
                                                              "mma.h",
                                                              "math_constants.h",
                                                              "math_functions",
                                                              "vector_types.h",
                                                              "vector_functions",
                                                              "sm_",
                                                              "texture_",
                                                              "surface_",
                                                              "sys/",
                                                              "bits/"};
  return name.find('.') == std::string_view::npos || is_host_header(name) || is_host_library(name) ||
         std::ranges::any_of(begins, [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

OwnHeaders::OwnHeaders(const fs::path& source) : folder_(source.parent_path()) {
  std::error_code error;
  seen_.insert(fs::weakly_canonical(source, error));
}

HeaderReader OwnHeaders::reader() {
  return [this](const IncludeLine& include, const std::string& from) { return read(include, from); };
}

std::optional<HeaderText> OwnHeaders::read(const IncludeLine& include, const std::string& from) {
  constexpr std::size_t most = 256;
  const std::string place = fmt::format("line {}{}{}", include.line, from.empty() ? "" : " of ", from);
  if (!include.quoted) {
    if (!comes_along(include.name))
      missing_.push_back(
          fmt::format("{0} includes <{1}>, which is none of CUDA's headers, so it was not read. include_directories = "
                      "[\"…\"] says in which folder it is",
                      place, include.name));
    return std::nullopt;
  }
  for (const fs::path& beside : {fs::path(from).parent_path(), fs::path()}) {
    const fs::path name = (beside / include.name).lexically_normal();
    std::error_code error;
    const fs::path file = fs::weakly_canonical(folder_ / name, error);
    if (error || !fs::is_regular_file(file, error)) continue;
    if (seen_.size() >= most || !seen_.insert(file).second) return std::nullopt;
    auto text = read_file(file);
    if (!text) continue;
    have_host_part_ |= has_host_part(*text);
    return HeaderText{name.string(), std::move(*text)};
  }
  if (!is_host_header(include.name) && !is_host_library(include.name) && !include.name.starts_with("cuda"))
    missing_.push_back(
        fmt::format("{} includes {}: {} was not found, so it was not read. If it is elsewhere, "
                    "include_directories = [\"…\"] says where",
                    place, include.name, include.name));
  return std::nullopt;
}

}  // namespace warptune::tuner::draft
