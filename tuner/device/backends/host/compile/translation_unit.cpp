// Chooses the parts of the shim that a source needs, and writes the entries of kernels and variables.
#include "tuner/device/backends/host/compile/translation_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "tuner/device/backends/host/compile/shim_text.h"
#include "tuner/device/compile/device_headers.h"
#include "tuner/system/files.h"

namespace warptune::tuner::host {

namespace {

// Returns whether a header declares nothing that the shim declares too. Any other one may bring in the standard
// library's mathematics, and then the shim must take its declarations from there.
bool is_light_header(std::string_view name) {
  static constexpr std::array<std::string_view, 17> light = {
      "assert.h", "cassert",     "cfloat", "climits",  "cstddef",  "cstdint", "cuda.h",   "cuda_runtime.h", "float.h",
      "limits.h", "type_traits", "limits", "stddef.h", "stdint.h", "stdio.h", "string.h", "utility"};
  const auto is_it = [name](const CudaHeader& header) { return header.name == name; };
  return std::find(light.begin(), light.end(), name) != light.end() || std::ranges::any_of(cuda_headers(), is_it);
}

bool needs_standard_math(std::string_view source) {
  static constexpr std::string_view directive = "include";
  for (auto at = source.find(directive); at != source.npos; at = source.find(directive, at)) {
    at = source.find_first_not_of(" \t", at + directive.size());
    if (at == source.npos) return false;
    if (source[at] == '"') return true;
    if (source[at] != '<') continue;
    const std::string_view name = source.substr(at + 1, source.find_first_of(">\n", at) - at - 1);
    if (!is_light_header(name) && !find_device_header(name)) return true;
  }
  return false;
}

// Returns whether a source may need functions that few kernels call (shim/special.h, rounding.h, simd.h). They cost
// some 40 ms a compile.
bool needs_seldom_functions(const CompileRequest& request) {
  static constexpr std::array<std::string_view, 8> marks = {"__v", "__dp",   "_rd", "_ru",
                                                            "_rz", "_ieee_", "erf", "normcdf"};
  const auto names_one = [](std::string_view text) {
    return text.find("cyl_bessel") != text.npos ||
           std::ranges::any_of(marks, [text](std::string_view mark) { return text.find(mark) != text.npos; });
  };
  return needs_standard_math(request.source) || names_one(request.source) ||
         std::ranges::any_of(request.defines, [&](const auto& define) { return names_one(define.second); });
}

std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

std::string kernel_name(std::size_t index) {
  return fmt::format("warptune_kernel_{}", index);
}
std::string symbol_name(std::size_t index) {
  return fmt::format("warptune_symbol_{}", index);
}

// Returns what "-DNAME=VALUE" or "-D" "NAME=VALUE" defines at `at`, which moves on to the option's last word. The text
// is empty if it is none of the user's macros.
std::string macro_of_option(const std::vector<std::string>& options, std::size_t& at) {
  if (!options[at].starts_with("-D")) return {};
  const bool apart = options[at].size() == 2;
  if (apart && at + 1 == options.size()) return {};
  const std::string macro = apart ? options[at + 1] : options[at].substr(2);
  if (macro.starts_with('_') || macro.substr(0, macro.find('=')) == "NDEBUG") return {};
  at += apart;
  return macro;
}

std::string macro_lines(const std::vector<std::string>& options) {
  std::string lines;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string macro = macro_of_option(options, i);
    if (macro.empty()) continue;
    const std::size_t equals = macro.find('=');
    lines += fmt::format("#define {} {}\n", macro.substr(0, equals),
                         equals == std::string::npos ? "1" : macro.substr(equals + 1));
  }
  return lines;
}

// A name that does not exist is reported as an error in the file "kernel name NAME".
void append_entries(std::string& text, const CompileRequest& request) {
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < request.kernels.size(); ++i) {
    const std::string& name = request.kernels[i];
    fmt::format_to(out, "\n#line 1 \"kernel name {}\"\n", escaped(name));
    fmt::format_to(out,
                   "WARPTUNE_UNTRACKED static void warptune_run_{}(void** __arguments) {{ warptune_host::__run(&{}, "
                   "__arguments); }} ",
                   i, name);
    fmt::format_to(out, "extern \"C\" {{ WARPTUNE_EXPORT warptune_host::__kernel_entry {} = ", kernel_name(i));
    fmt::format_to(out, "warptune_host::__entry(&{}, warptune_run_{}); }}\n", name, i);
  }
  for (std::size_t i = 0; i < request.symbols.size(); ++i) {
    const std::string& name = request.symbols[i];
    fmt::format_to(out, "\n#line 1 \"symbol name {}\"\n", escaped(name));
    fmt::format_to(out, "extern \"C\" {{ WARPTUNE_EXPORT warptune_host::__symbol_entry {} = ", symbol_name(i));
    fmt::format_to(out, "{{&{}, sizeof({})}}; }}\n", name, name);
  }
}

}  // namespace

std::vector<std::string> options_without_macros(const std::vector<std::string>& options) {
  std::vector<std::string> others;
  for (std::size_t i = 0; i < options.size(); ++i)
    if (macro_of_option(options, i).empty()) others.push_back(options[i]);
  return others;
}

std::string translation_unit(const CompileRequest& request) {
  std::string text = fmt::format("#define WARPTUNE_STANDARD_MATH {}\n", needs_standard_math(request.source) ? 1 : 0);
  text += fmt::format("#define WARPTUNE_SELDOM_FUNCTIONS {}\n", needs_seldom_functions(request) ? 1 : 0);
  text += fmt::format("#define WARPTUNE_TRACKED {}\n", request.tracked ? 1 : 0);
  text += kShimText;
  // The macros come after the shim, so that a parameter named N or T does not reach into it.
  text += macro_lines(request.options);
  for (const auto& [name, value] : request.defines)
    fmt::format_to(std::back_inserter(text), "#define {} {}\n", name, value);
  fmt::format_to(std::back_inserter(text), "#line 1 \"{}\"\n{}", escaped(request.name),
                 without_byte_order_mark(request.source));
  append_entries(text, request);
  return text;
}

std::map<std::string, std::string> linkage_names(const CompileRequest& request) {
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < request.kernels.size(); ++i) names[request.kernels[i]] = kernel_name(i);
  for (std::size_t i = 0; i < request.symbols.size(); ++i) names[request.symbols[i]] = symbol_name(i);
  return names;
}

}  // namespace warptune::tuner::host
