// Recognises a limit by the compilers' words rather than by the source, because only what failed matters.
#include "tuner/device/backends/host/compile/limits_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tuner/device/backends/host/compile/shim_text.h"

namespace warptune::tuner::host {

namespace {

bool contains_any(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

// GCC's assembler begins its errors with a capital.
bool is_error(std::string_view line) {
  static constexpr std::array<std::string_view, 3> words{" error: ", ": Error: ", "fatal error: "};
  return contains_any(line, words);
}

struct Limit {
  std::vector<std::string_view> words;  // one of them is in a line of the log
  std::string_view sentence;
  std::string_view in_source = {};  // has to be in the source, if the words alone could mean other things
};

// Returns the limits in the order in which they are looked for, as several may fit: a source that uses textures lacks
// their names, too.
const std::vector<Limit>& limits() {
  static const std::vector<Limit> all = {
      {{": Error: ", "<inline asm>", "‘asm’", "'asm'", "inline asm"}, "the host backend compiles no inline PTX"},
      {{"tex1D", "tex2D", "tex3D", "texCubemap", "cudaTexture", "cudaSurface", "surf1D", "surf2D", "surf3D"},
       "the host backend has no textures and surfaces"},
      {{"nvcuda", "wmma"}, "the host backend has no nvcuda::wmma"},
      {{"cub/", "thrust/", "cutlass/", "cute/", "curand"}, "the host backend has no CUB, Thrust, cuRAND or CUTLASS"},
      {{"cuda/", "‘cuda’", "'cuda'"}, "the host backend has no <cuda/...> (libcu++)"},
      {{"cuda_fp8", "cuda_fp6", "cuda_fp4", "__nv_fp8"}, "the host backend has no numbers of 8 bits and less"},
      {{"this_cluster", "cluster_group", "__cluster"}, "the host backend has no thread block clusters"},
      {{"before '<' token", "before ‘<’ token", "expected expression"},
       "a kernel cannot launch kernels on the host backend",
       "<<<"},
      {{"‘cudaDevice", "‘cudaMalloc", "‘cudaStream", "‘cudaLaunch", "'cudaDevice", "'cudaMalloc", "'cudaStream",
        "'cudaLaunch"},
       "the host backend has no CUDA runtime API in kernels"},
  };
  return all;
}

// Returns the name in "‘__foo’ was not declared" and "undeclared identifier '__foo'". It is empty for other lines.
std::string_view unknown_intrinsic(std::string_view line) {
  if (line.find("not declared") == line.npos && line.find("undeclared identifier") == line.npos) return {};
  for (const std::string_view quote : {"‘__", "'__"}) {
    const auto at = line.find(quote);
    if (at == line.npos) continue;
    const std::string_view name = line.substr(at + quote.size() - 2);
    return name.substr(0, name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
  }
  return {};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string sentence_of(const std::vector<std::string_view>& lines, std::string_view source) {
  for (const Limit& limit : limits()) {
    if (source.find(limit.in_source) == source.npos) continue;
    for (const std::string_view line : lines)
      if ((is_error(line) || line.starts_with("<inline asm>")) && contains_any(line, limit.words))
        return std::string(limit.sentence);
  }
  for (const std::string_view line : lines)
    if (const auto name = unknown_intrinsic(line); is_error(line) && !name.empty())
      return fmt::format("if {} is CUDA's, the host backend lacks it", name);
  return {};
}

}  // namespace

std::string_view limits_page() {
  return kLimitsPage;
}

std::string with_limits_named(std::string log, std::string_view source) {
  const std::vector<std::string_view> lines = lines_of(log);
  const std::string sentence = sentence_of(lines, source);
  const auto first = std::ranges::find_if(lines, is_error);
  if (sentence.empty() || first == lines.end()) return log;
  std::string text;
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    text += *line;
    if (line == first) text += fmt::format("; {} (warptune help host)", sentence);
    text += '\n';
  }
  // The assembler's error is written as the compiler proper writes errors, so that all readers of logs know it for one.
  if (const auto at = text.find(": Error: "); at != text.npos) text.replace(at, 9, ": error: ");
  return text;
}

}  // namespace warptune::tuner::host
