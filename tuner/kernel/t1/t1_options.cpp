// Reads the CompilerOptions of T1 files. Other tuners hand them to nvcc. Here NVRTC compiles, or a C++ compiler for the
// host, and an option that one of them does not know would fail every configuration.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "tuner/kernel/t1/t1_parts.h"

namespace warptune::tuner {

namespace {

struct Spelling {
  std::string_view of_nvcc, joined;
};

// The value of these options may be the next word. `joined` begins the one word of option and value that all compilers
// here take.
constexpr Spelling with_value[] = {
    {"-D", "-D"},
    {"--define-macro", "-D"},
    {"-U", "-U"},
    {"--undefine-macro", "-U"},
    {"-I", "-I"},
    {"--include-path", "-I"},
    {"-isystem", "-I"},
    {"--system-include", "-I"},
    {"-std", "-std="},
    {"--std", "-std="},
    {"-arch", "-arch="},
    {"--gpu-architecture", "-arch="},
    {"-maxrregcount", "-maxrregcount="},
    {"--maxrregcount", "-maxrregcount="},
    {"-Xptxas", "--ptxas-options="},
    {"--ptxas-options", "--ptxas-options="},
    {"-include", "-include="},
    {"--pre-include", "-include="},
    {"-code", "-code="},
    {"--gpu-code", "-code="},
    {"-gencode", "-gencode="},
    {"--generate-code", "-gencode="},
    {"-Xcompiler", "-Xcompiler="},
    {"--compiler-options", "-Xcompiler="},
    {"-Xlinker", "-Xlinker="},
    {"--linker-options", "-Xlinker="},
    {"-Xcudafe", "-Xcudafe="},
    {"-ccbin", "-ccbin="},
    {"--compiler-bindir", "-ccbin="},
    {"-cudart", "-cudart="},
    {"--cudart", "-cudart="},
    {"-x", "-x="},
    {"-o", "-o="},
    {"-L", "-L"},
    {"-l", "-l"},
    {"-fmad", "--fmad="},
    {"--fmad", "--fmad="},
    {"-ftz", "--ftz="},
    {"--ftz", "--ftz="},
    {"-prec-div", "--prec-div="},
    {"--prec-div", "--prec-div="},
    {"-prec-sqrt", "--prec-sqrt="},
    {"--prec-sqrt", "--prec-sqrt="},
    {"-diag-suppress", "-diag-suppress="},
    {"--diag-suppress", "-diag-suppress="},
    {"-rdc", "-rdc="},
    {"--relocatable-device-code", "-rdc="},
};

constexpr std::string_view of_every_compiler[] = {"-std=", "-D", "-U", "-I", "-include="};
// These are whole options, or their beginnings where they end in '='.
constexpr std::string_view of_nvrtc[] = {"-arch=",
                                         "-diag-suppress=",
                                         "-maxrregcount=",
                                         "--ptxas-options=",
                                         "--fmad=",
                                         "--ftz=",
                                         "--prec-div=",
                                         "--prec-sqrt=",
                                         "-use_fast_math",
                                         "--use_fast_math",
                                         "-lineinfo",
                                         "--generate-line-info",
                                         "-G",
                                         "--device-debug",
                                         "-restrict",
                                         "--restrict",
                                         "-extra-device-vectorization",
                                         "--extra-device-vectorization",
                                         "-default-device",
                                         "--device-as-default-execution-space",
                                         "-w",
                                         "--disable-warnings",
                                         "-device-int128",
                                         "--device-int128"};

// Splits options into words. Kernel Tuner has a list of options, and KTT has several in one text.
std::vector<std::string> words_of(const std::vector<std::string>& options) {
  std::vector<std::string> words;
  for (const std::string& option : options) {
    bool quoted = false, between = true;
    for (const char c : option) {
      quoted ^= c == '"';
      const bool blank = !quoted && std::isspace(static_cast<unsigned char>(c));
      if (!blank && between) words.emplace_back();
      if (!blank) words.back() += c;
      between = blank;
    }
  }
  return words;
}

// Writes "-D X=1", "--define-macro=X=1" and "-DX=1" all as "-DX=1".
std::vector<std::string> as_single_words(const std::vector<std::string>& words) {
  std::vector<std::string> options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t sign = words[i].starts_with("-") ? words[i].find('=') : std::string::npos;
    const auto known = std::ranges::find(with_value, std::string_view(words[i]).substr(0, sign), &Spelling::of_nvcc);
    if (known == std::end(with_value))
      options.push_back(words[i]);
    else if (sign != std::string::npos)
      options.push_back(fmt::format("{}{}", known->joined, words[i].substr(sign + 1)));
    else
      options.push_back(fmt::format("{}{}", known->joined, i + 1 < words.size() ? words[++i] : ""));
  }
  return options;
}

bool is_of_every_compiler(const std::string& option) {
  return std::ranges::any_of(of_every_compiler, [&](std::string_view start) { return option.starts_with(start); });
}

bool is_of_nvrtc(const std::string& option) {
  return std::ranges::any_of(of_nvrtc, [&](std::string_view known) {
    return known.ends_with('=') ? option.starts_with(known) : option == known;
  });
}

}  // namespace

void read_t1_options(const Node& node, KernelTemplate& kernel) {
  std::vector<std::string> dropped;
  for (const std::string& option : as_single_words(words_of(node.strings())))
    if (is_of_every_compiler(option))
      kernel.options.push_back(option);
    else
      (is_of_nvrtc(option) ? kernel.backend_options["cuda"] : dropped).push_back(option);
  if (!dropped.empty())
    kernel.notes.push_back(fmt::format("{}: {}: no effect, NVRTC, which compiles here, has no such option", node.path(),
                                       fmt::join(dropped, ", ")));
}

}  // namespace warptune::tuner
