#include "tuner/exporters/header.h"

#include <fmt/format.h>

#include "tuner/exporters/source_text.h"

namespace warptune::tuner {

namespace {

// Counted up whenever code that uses an older header would no longer compile or mean the same.
constexpr int header_schema = 1;

// Without formatting, so that no style's clang-format changes a generated file.
constexpr char preamble[] = R"(#pragma once

// clang-format off

#if defined(__CUDACC__)
#define WARPTUNE_TUNED_FUNCTION __host__ __device__ constexpr
#else
#define WARPTUNE_TUNED_FUNCTION constexpr
#endif
#if defined(__cpp_inline_variables)
#define WARPTUNE_TUNED_CONSTANT inline constexpr
#else
#define WARPTUNE_TUNED_CONSTANT constexpr
#endif
)";

std::string schema_check() {
  return fmt::format(R"(
// Every tuned header of a program has the same layout. Define the macro to pin the one that your code is written for.
#if !defined(WARPTUNE_TUNED_SCHEMA)
#define WARPTUNE_TUNED_SCHEMA {0}
#endif
static_assert(WARPTUNE_TUNED_SCHEMA == {0}, "this tuned header has schema {0}, the program expects another: "
                                            "export its headers with one version of warptune");
)",
                     header_schema);
}

std::string structs(const Wisdom& wisdom) {
  const search::NamedValues& parameters = fallback_of(wisdom);
  const search::NamedValues& sizes = wisdom.entries.front().sizes;
  const std::vector<std::string> members = identifiers(parameters), dimensions = identifiers(sizes);
  std::string text = "struct Configuration {\n";
  for (std::size_t i = 0; i < members.size(); ++i)
    text += fmt::format("  {} {};\n", to_string(member_type(wisdom, parameters[i].first)), members[i]);
  text += "};\n\nstruct ProblemSize {\n";
  for (const std::string& dimension : dimensions) text += fmt::format("  long long {};\n", dimension);
  text += R"(};

struct Entry {
  const char* device;      // the GPU's name as its driver gives it
  int compute_capability;  // 90 for 9.0; 0 for a host
  ProblemSize size;
  Configuration configuration;
  double time_ms;
  double relative_error;   // of the time: 0.01 is +-1 %
  double gain;             // how many times as good as the default; 0: not measured
};
)";
  return text;
}

std::string configuration(const Wisdom& wisdom, const search::NamedValues& values) {
  std::string list;
  for (const auto& [name, value] : in_order_of(fallback_of(wisdom), values))
    list += (list.empty() ? "" : ", ") + literal(value, member_type(wisdom, name));
  return "{" + list + "}";
}

std::string problem_size(const search::NamedValues& sizes) {
  std::string list;
  for (const auto& [name, value] : sizes) list += (list.empty() ? "" : ", ") + literal(value, MemberType::integer);
  return "{" + list + "}";
}

std::string table(const Wisdom& wisdom) {
  std::string text = fmt::format(
      "// The template's default, for devices that nothing is known about.\n"
      "WARPTUNE_TUNED_CONSTANT Configuration default_configuration = {};\n\n"
      "WARPTUNE_TUNED_CONSTANT int entry_count = {};\n"
      "WARPTUNE_TUNED_CONSTANT Entry entries[] = {{\n",
      configuration(wisdom, fallback_of(wisdom)), wisdom.entries.size());
  for (const WisdomEntry& entry : wisdom.entries)
    text += fmt::format("  {{{}, {}, {}, {}, {}, {}, {}}},\n", literal(entry.device, MemberType::text),
                        entry.compute_capability, problem_size(entry.sizes), configuration(wisdom, entry.values),
                        literal(entry.time_ms), literal(entry.relative_error), literal(entry.gain.value_or(0)));
  return text + "};\n";
}

constexpr char detail_functions[] = R"(
namespace detail {

WARPTUNE_TUNED_FUNCTION bool same_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

WARPTUNE_TUNED_FUNCTION double ratio(long long a, long long b) {
  const double x = a > 1 ? static_cast<double>(a) : 1.0;
  const double y = b > 1 ? static_cast<double>(b) : 1.0;
  return x > y ? x / y : y / x;
}

}  // namespace detail

)";

// The same arithmetic as size_distance(), so that both choose the same entry.
std::string distance(const search::NamedValues& sizes) {
  std::string body;
  for (const std::string& dimension : identifiers(sizes))
    body += fmt::format("  result *= detail::ratio(a.{0}, b.{0});\n", dimension);
  return "// How far apart two sizes are: larger over smaller, multiplied over the dimensions (the sum of |log2 "
         "ratio|); 1 is equal.\n"
         "WARPTUNE_TUNED_FUNCTION double distance(const ProblemSize& a, const ProblemSize& b) {\n"
         "  double result = 1;\n" +
         body + (body.empty() ? "  (void)a;\n  (void)b;\n" : "") + "  return result;\n}\n";
}

constexpr char choice_by_rule[] = R"(
// The rule: entries measured on a GPU of this name; if there are none, on one of the same compute capability; of those the
// nearest size (the smallest distance; the first in the table among equals). -1: nothing is known. `device` is the name in
// cudaDeviceProp, or "" for the capability alone. A template's constraints on sizes are not checked here.
WARPTUNE_TUNED_FUNCTION int find(const char* device, int compute_capability, const ProblemSize& size) {
  int best = -1;
  bool best_by_name = false;
  for (int i = 0; i < entry_count; ++i) {
    const bool by_name = detail::same_text(entries[i].device, device);
    if (!by_name && (best_by_name || entries[i].compute_capability != compute_capability)) continue;
    const bool better_kind = by_name && !best_by_name;
    if (best < 0 || better_kind || distance(entries[i].size, size) < distance(entries[best].size, size)) {
      best = i;
      best_by_name = by_name;
    }
  }
  return best;
}

// The same, ending in the default configuration.
WARPTUNE_TUNED_FUNCTION Configuration configuration_for(const char* device, int compute_capability,
                                                        const ProblemSize& size) {
  const int found = find(device, compute_capability, size);
  return found < 0 ? default_configuration : entries[found].configuration;
}

// At run time, for anything with the members of cudaDeviceProp.
template <class DeviceProperties>
Configuration configuration_for(const DeviceProperties& device, const ProblemSize& size) {
  return configuration_for(device.name, device.major * 10 + device.minor, size);
}

// By compute capability alone: what host code launches with when the kernel uses compiled_configuration().
WARPTUNE_TUNED_FUNCTION Configuration architecture_configuration(int compute_capability, const ProblemSize& size) {
  return configuration_for("", compute_capability, size);
}

// In device code, at compile time (`constexpr Configuration c = compiled_configuration({...})`): for the architecture that
// is being compiled. The table is not in device memory, so it cannot be searched at run time there. nvcc reads kernels once
// more for the host; what it sees then, nothing is compiled from.
WARPTUNE_TUNED_FUNCTION Configuration compiled_configuration(const ProblemSize& size) {
#if defined(__CUDA_ARCH__)
  return architecture_configuration(__CUDA_ARCH__ / 10, size);
#else
  return architecture_configuration(0, size);
#endif
}
)";

std::string header_provenance(const Wisdom& wisdom) {
  std::string text = fmt::format(
      "// Tuned configurations of {}, written by warptune. Do not edit: export again instead.\n"
      "//\n// Where the entries of the table come from:\n//\n",
      identifier(wisdom.kernel));
  for (const std::string& line : provenance_lines(wisdom, 0)) text += "// " + line + "\n";
  return text;
}

}  // namespace

std::string export_header(const Wisdom& wisdom) {
  const std::string name = identifier(wisdom.kernel);
  std::string text = preamble + ("\n" + header_provenance(wisdom)) + schema_check();
  text += fmt::format("\nnamespace warptune_tuned {{\nnamespace {} {{\n\n", name);
  text += structs(wisdom) + "\n" + table(wisdom) + detail_functions;
  text += distance(wisdom.entries.front().sizes) + choice_by_rule;
  text += fmt::format("\n}}  // namespace {}\n}}  // namespace warptune_tuned\n\n", name);
  return text + "#undef WARPTUNE_TUNED_FUNCTION\n#undef WARPTUNE_TUNED_CONSTANT\n\n// clang-format on\n";
}

}  // namespace warptune::tuner
