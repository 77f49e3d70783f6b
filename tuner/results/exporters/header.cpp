// Writes a tuned header from fixed C++ text and the table of winners.
#include "tuner/results/exporters/header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "db/settled.h"
#include "tuner/results/exporters/header_parts.h"
#include "tuner/results/exporters/source_text.h"

namespace warptune::tuner {

namespace {

// The schema is counted up whenever code that uses an older header would no longer compile or mean the same.
constexpr int header_schema = 2;

// Generated text is left unformatted, so that no style's clang-format changes a generated file.
constexpr char preamble[] = R"(
#if defined(__CUDACC__)
#define WARPTUNE_TUNED_FUNCTION __host__ __device__ constexpr
#else
#define WARPTUNE_TUNED_FUNCTION constexpr
#endif
#if defined(__cpp_inline_variables)
#define WARPTUNE_TUNED_CONSTANT inline constexpr
#else
#define WARPTUNE_TUNED_CONSTANT static constexpr
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

// Holds the names of ProblemSize's members, which are all different.
struct ProblemMembers {
  std::vector<std::string> sizes, variants;
};

ProblemMembers problem_members(const Wisdom& wisdom) {
  search::NamedValues all = wisdom.entries.front().sizes;
  const std::size_t sizes = all.size();
  for (const search::Parameter& variant : wisdom.variants) all.emplace_back(variant.name, variant.values.front());
  const std::vector<std::string> names = identifiers(all);
  const auto middle = names.begin() + static_cast<std::ptrdiff_t>(sizes);
  return {{names.begin(), middle}, {middle, names.end()}};
}

// Returns whether a variant's values become enumerators, also where a file mixes types: no text of a file becomes code,
// and fractions of recordings are no integers.
bool is_enumerated(const search::Parameter& variant) {
  return std::ranges::any_of(variant.values, [](const search::Value& value) {
    return std::holds_alternative<std::string>(value) || std::holds_alternative<double>(value);
  });
}

// Returns the name of a variant's enumeration: "PRECISION_value", or another name where a member has that one.
std::string enumeration(const ProblemMembers& members, const std::string& member) {
  std::string name = member + "_value";
  const auto is_taken = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, name) != names.end();
  };
  while (is_taken(members.sizes) || is_taken(members.variants)) name += '_';
  return name;
}

// Returns the type of a variant: an enumeration with an enumerator for each text or fraction, else that of its booleans
// or integers.
std::string variant_type(const search::Parameter& variant, const ProblemMembers& members, const std::string& member) {
  if (is_enumerated(variant)) return enumeration(members, member);
  return std::holds_alternative<bool>(variant.values.front()) ? "bool" : "long long";
}

std::vector<std::string> enumerators(const search::Parameter& variant) {
  search::NamedValues texts;
  for (const search::Value& value : variant.values) texts.emplace_back(search::to_text(value), value);
  return identifiers(texts);
}

using Literals = std::unordered_map<search::Value, std::string>;

Literals literals_of(const search::Parameter& variant, const std::string& type) {
  Literals literals;
  const bool enumerated = is_enumerated(variant);
  const std::vector<std::string> names = enumerated ? enumerators(variant) : std::vector<std::string>();
  for (std::size_t i = 0; i < variant.values.size(); ++i)
    literals.emplace(variant.values[i],
                     enumerated ? fmt::format("{}::{}", type, names[i]) : search::to_text(variant.values[i]));
  return literals;
}

// Holds what a member of each entry is written as. It is found once for all of them, because a file may have very many.
struct EntryText {
  std::map<std::string, MemberType> parameters;
  std::vector<Literals> variants;  // in the file's order

  explicit EntryText(const Wisdom& wisdom) {
    for (const auto& [name, value] : default_values_of(wisdom)) parameters[name] = member_type(wisdom, name);
    const ProblemMembers members = problem_members(wisdom);
    for (std::size_t i = 0; i < wisdom.variants.size(); ++i)
      variants.push_back(
          literals_of(wisdom.variants[i], variant_type(wisdom.variants[i], members, members.variants[i])));
  }
};

std::string variant_types(const Wisdom& wisdom) {
  const ProblemMembers members = problem_members(wisdom);
  std::string text;
  for (std::size_t i = 0; i < wisdom.variants.size(); ++i)
    if (is_enumerated(wisdom.variants[i]))
      text += fmt::format("enum class {} {{ {} }};\n\n", enumeration(members, members.variants[i]),
                          fmt::join(enumerators(wisdom.variants[i]), ", "));
  return text;
}

// Returns checks that no name in the header is a macro, as TILE is in a source with `#define TILE 16`.
std::string macro_checks(const Wisdom& wisdom) {
  std::vector<std::string> names = identifiers(default_values_of(wisdom));
  const ProblemMembers problem = problem_members(wisdom);
  names.insert(names.end(), problem.sizes.begin(), problem.sizes.end());
  names.insert(names.end(), problem.variants.begin(), problem.variants.end());
  for (const search::Parameter& variant : wisdom.variants)
    if (is_enumerated(variant)) std::ranges::move(enumerators(variant), std::back_inserter(names));
  names.push_back(identifier(wisdom.kernel));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text = "\n// Nothing here can have the name of a macro.\n";
  for (const std::string& name : names)
    text += fmt::format(
        "#if defined({0})\n#error \"{0} is a macro here and a name in this header: include it before the macro and "
        "give the macro another name, or use the header of export --format defines\"\n#endif\n",
        name);
  return text;
}

std::string structs(const Wisdom& wisdom) {
  const search::NamedValues& parameters = default_values_of(wisdom);
  const std::vector<std::string> members = identifiers(parameters);
  std::string text = variant_types(wisdom) + "struct Configuration {\n";
  for (std::size_t i = 0; i < members.size(); ++i)
    text += fmt::format("  {} {};\n", to_string(member_type(wisdom, parameters[i].first)), members[i]);
  text += "};\n\nstruct ProblemSize {\n";
  const ProblemMembers members_of_problem = problem_members(wisdom);
  for (const std::string& size : members_of_problem.sizes) text += fmt::format("  long long {};\n", size);
  for (std::size_t i = 0; i < wisdom.variants.size(); ++i) {
    const search::Parameter& variant = wisdom.variants[i];
    const std::string type = variant_type(variant, members_of_problem, members_of_problem.variants[i]);
    text += fmt::format("  {0} {1} = {2};\n", type, members_of_problem.variants[i],
                        literals_of(variant, type).at(variant.values.front()));
  }
  text += R"(};

struct Entry {
  const char* device;      // the GPU's name as its driver gives it
  int compute_capability;  // 90 for 9.0; 0 for a host
  ProblemSize size;
  Configuration configuration;
  double time_ms;
  double relative_error;   // of the time: 0.01 is +-1 %; negative: unknown, as after one round of finals
  double gain;             // how many times as good as the default; 0: not measured
};
)";
  return text;
}

std::string configuration(const Wisdom& wisdom, const EntryText& texts, const search::NamedValues& values) {
  std::string list;
  for (const auto& [name, value] : in_order_of(default_values_of(wisdom), values))
    list += (list.empty() ? "" : ", ") + literal(value, texts.parameters.at(name));
  return "{" + list + "}";
}

std::string problem_size(const Wisdom& wisdom, const EntryText& texts, const WisdomEntry& entry) {
  std::string list;
  for (const auto& [name, value] : entry.sizes)
    list += (list.empty() ? "" : ", ") + literal(value, MemberType::integer);
  for (std::size_t i = 0; i < wisdom.variants.size(); ++i)
    list +=
        (list.empty() ? "" : ", ") + texts.variants[i].at(*search::find_value(entry.variants, wisdom.variants[i].name));
  return "{" + list + "}";
}

// Device code cannot read a constant of the namespace, so it has a table of its own. A copy in each function would be
// local memory of each thread: 464 bytes an entry for gemm.
constexpr char constants[] = R"(
WARPTUNE_TUNED_CONSTANT Table table = make_table();

#if defined(__CUDACC__)
static __device__ constexpr Table device_table = make_table();
#endif
WARPTUNE_TUNED_FUNCTION const Table& known_table() {
#if defined(__CUDA_ARCH__)
  return device_table;
#else
  return table;
#endif
}

}  // namespace detail

// The template's default, for devices that nothing is known about.
WARPTUNE_TUNED_CONSTANT Configuration default_configuration = detail::make_default();

// For host code; the functions below are for device code too, and for constant expressions in both.
WARPTUNE_TUNED_CONSTANT const Entry (&entries)[entry_count] = detail::table.entries;
)";

// Returns the literal of an entry's error, or -1.0 for one that is not known, which has no literal everywhere.
std::string relative_error(const WisdomEntry& entry) {
  const auto error = db::known_error(entry.relative_error);
  return error ? literal(*error) : "-1.0";
}

std::string table(const Wisdom& wisdom) {
  const EntryText texts(wisdom);
  std::string text = fmt::format(
      "WARPTUNE_TUNED_CONSTANT int entry_count = {1};\n\n"
      "namespace detail {{\n\n"
      "struct Table {{\n  Entry entries[{1}];\n}};\n\n"
      "WARPTUNE_TUNED_FUNCTION Configuration make_default() {{ return {0}; }}\n\n"
      "WARPTUNE_TUNED_FUNCTION Table make_table() {{\n  return {{{{\n",
      configuration(wisdom, texts, default_values_of(wisdom)), wisdom.entries.size());
  for (const WisdomEntry& entry : wisdom.entries)
    text += fmt::format("    {{{}, {}, {}, {}, {}, {}, {}}},\n", literal(entry.device, MemberType::text),
                        entry.compute_capability, problem_size(wisdom, texts, entry),
                        configuration(wisdom, texts, entry.values), literal(entry.time_ms), relative_error(entry),
                        literal(entry.gain.value_or(0)));
  return text + "  }};\n}\n" + constants;
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

)";

// Returns the function that compares variants, which look-ups match exactly.
std::string variant_check(const Wisdom& wisdom) {
  std::string body;
  for (const std::string& variant : problem_members(wisdom).variants)
    body += fmt::format("{0}a.{1} == b.{1}", body.empty() ? "" : " && ", variant);
  return "WARPTUNE_TUNED_FUNCTION bool same_variants(const ProblemSize& a, const ProblemSize& b) {\n" +
         (body.empty() ? "  (void)a;\n  (void)b;\n  return true;\n" : "  return " + body + ";\n") +
         "}\n\n}  // namespace detail\n\n";
}

int weight_of(const Wisdom& wisdom, const std::string& dimension) {
  if (!wisdom.rule) return 1;
  const auto known = wisdom.rule->weights.find(dimension);
  return known == wisdom.rule->weights.end() ? 1 : known->second;
}

std::string same_size(const Wisdom& wisdom) {
  std::string body;
  for (const std::string& dimension : problem_members(wisdom).sizes)
    body += fmt::format("{0}a.{1} == b.{1}", body.empty() ? "" : " && ", dimension);
  return "\nWARPTUNE_TUNED_FUNCTION bool same_size(const ProblemSize& a, const ProblemSize& b) {\n" +
         (body.empty() ? "  (void)a;\n  (void)b;\n  return true;\n" : "  return " + body + ";\n") + "}\n";
}

// Returns the constants that say what a size that was not measured may cost.
std::string regret(const Wisdom& wisdom) {
  const auto text = [&](double SizeRule::*figure) { return wisdom.rule ? literal((*wisdom.rule).*figure) : "-1.0"; };
  return fmt::format(
      "\n// For a size that was not measured (see is_measured), the nearest one's configuration is used. Leaving each "
      "of "
      "{0}\n// measured sizes out has shown by how much that is slower than the size's own best: 0.02 is 2 %; negative "
      "is unknown.\nWARPTUNE_TUNED_CONSTANT double expected_regret = {1};\nWARPTUNE_TUNED_CONSTANT double worst_regret "
      "= {2};\n",
      wisdom.rule ? wisdom.rule->left_out : 0, text(&SizeRule::mean_regret), text(&SizeRule::worst_regret));
}

// Returns the function for the distance of two sizes, with size_distance()'s arithmetic: both choose the same entry.
std::string distance(const Wisdom& wisdom) {
  std::string body;
  const std::vector<std::string> members = problem_members(wisdom).sizes;
  for (std::size_t i = 0; i < members.size(); ++i)
    for (int weight = weight_of(wisdom, wisdom.entries.front().sizes[i].first); weight > 0; --weight)
      body += fmt::format("  result *= detail::ratio(a.{0}, b.{0});\n", members[i]);
  return "// How far apart two sizes are: larger over smaller, multiplied over the dimensions (the sum of |log2 "
         "ratio|), by\n// the weights that were found; 1 is nearest.\n"
         "WARPTUNE_TUNED_FUNCTION double distance(const ProblemSize& a, const ProblemSize& b) {\n"
         "  double result = 1;\n" +
         body + (body.empty() ? "  (void)a;\n  (void)b;\n" : "") + "  return result;\n}\n";
}

constexpr char choice_by_rule[] = R"(
// The rule: of entries for just these variants, those measured on a GPU of this name; if there are none, on one of the same compute capability; of those the
// size itself, else the nearest (the smallest distance; the first in the table among equals). -1: nothing is known. `device` is the name in
// cudaDeviceProp, or "" for the capability alone. A template's constraints on sizes are not checked here.
WARPTUNE_TUNED_FUNCTION int find(const char* device, int compute_capability, const ProblemSize& size) {
  const detail::Table& known = detail::known_table();
  int best = -1;
  bool best_by_name = false;
  for (int i = 0; i < entry_count; ++i) {
    const Entry& entry = known.entries[i];
    const bool by_name = detail::same_text(entry.device, device);
    if (!detail::same_variants(entry.size, size)) continue;
    if (!by_name && (best_by_name || entry.compute_capability != compute_capability)) continue;
    const bool better_kind = by_name && !best_by_name;
    const bool is_it = same_size(entry.size, size);
    const bool best_is_it = best >= 0 && same_size(known.entries[best].size, size);
    const bool nearer = best >= 0 && distance(entry.size, size) < distance(known.entries[best].size, size);
    if (best < 0 || better_kind || (!best_is_it && (is_it || nearer))) {
      best = i;
      best_by_name = by_name;
    }
  }
  return best;
}

// Whether that entry is of this size, and no prediction from another one.
WARPTUNE_TUNED_FUNCTION bool is_measured(const char* device, int compute_capability, const ProblemSize& size) {
  const detail::Table& known = detail::known_table();
  const int found = find(device, compute_capability, size);
  return found >= 0 && same_size(known.entries[found].size, size);
}

// The same, ending in the default configuration.
WARPTUNE_TUNED_FUNCTION Configuration configuration_for(const char* device, int compute_capability,
                                                        const ProblemSize& size) {
  const detail::Table& known = detail::known_table();
  const int found = find(device, compute_capability, size);
  return found < 0 ? detail::make_default() : known.entries[found].configuration;
}

// For anything with the members of cudaDeviceProp.
template <class DeviceProperties>
WARPTUNE_TUNED_FUNCTION Configuration configuration_for(const DeviceProperties& device, const ProblemSize& size) {
  return configuration_for(device.name, device.major * 10 + device.minor, size);
}

// By compute capability alone: what host code launches with when the kernel uses compiled_configuration().
WARPTUNE_TUNED_FUNCTION Configuration architecture_configuration(int compute_capability, const ProblemSize& size) {
  return configuration_for("", compute_capability, size);
}

// In device code, at compile time (`constexpr Configuration c = compiled_configuration({...})`): for the architecture that
// is being compiled. nvcc reads kernels once more for the host; what it sees then, nothing is compiled from.
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
  std::string text = "#pragma once\n\n// clang-format off\n\n" + header_provenance(wisdom);
  text += '\n' + branches_when_tuning(wisdom) + preamble + schema_check() + macro_checks(wisdom);
  text += fmt::format("\nnamespace warptune_tuned {{\nnamespace {} {{\n\n", name);
  text += structs(wisdom) + "\n" + table(wisdom) + detail_functions + variant_check(wisdom);
  text += distance(wisdom) + same_size(wisdom) + regret(wisdom) + choice_by_rule + launch_code(wisdom);
  text +=
      fmt::format("\n}}  // namespace {}\n}}  // namespace warptune_tuned\n\n", name) + constants_definition(wisdom);
  return text + "#undef WARPTUNE_TUNED_FUNCTION\n#undef WARPTUNE_TUNED_CONSTANT\n\n#endif\n\n// clang-format on\n";
}

}  // namespace warptune::tuner
