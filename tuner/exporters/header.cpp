#include "tuner/exporters/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace warptune {

namespace {

// A name that C++ takes: other characters become '_'.
std::string identifier(const std::string& name) {
  std::string result = name;
  std::ranges::replace_if(
      result, [](unsigned char c) { return !std::isalnum(c); }, '_');
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result.front()))) result.insert(result.begin(), '_');
  return result;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string literal(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  return to_text(value);
}

std::string_view member_type(const Value& value) {
  if (std::holds_alternative<bool>(value)) return "bool";
  if (std::holds_alternative<double>(value)) return "double";
  if (std::holds_alternative<std::string>(value)) return "const char*";
  return "long long";
}

std::string initializer(const NamedValues& values) {
  std::string list;
  for (const auto& [name, value] : values) list += (list.empty() ? "" : ", ") + literal(value);
  return "{" + list + "}";
}

// "sm_90" -> 90; 0 for anything that is no CUDA architecture.
int compute_capability(const std::string& architecture) {
  if (architecture.rfind("sm_", 0) != 0) return 0;
  return std::atoi(architecture.c_str() + 3);
}

std::string provenance(const ExportInput& input) {
  std::string text = fmt::format(
      "// Tuned configurations of {}, written by warptune. Do not edit: export again instead.\n//\n", input.kernel);
  for (const db::BestRecord& best : input.winners) {
    const db::SessionKey& key = best.session.key;
    text += fmt::format("// {}, {}\n", key.device.name, to_text(key.problem_size));
    text += fmt::format("//   measured {} by warptune {}, session {}, trial {}\n", best.trial.recorded_at,
                        best.session.tool_version, best.session.id, best.trial.id);
    text += fmt::format("//   driver {}, {}, options {}\n", key.device.driver.empty() ? "none" : key.device.driver,
                        key.compiler, key.options);
    text += fmt::format("//   source {}, manifest {}\n", key.source_hash, key.manifest_hash);
  }
  return text;
}

std::string entry(const db::BestRecord& best) {
  const db::SessionKey& key = best.session.key;
  const double time_ms = best.trial.trial.measurement ? best.trial.trial.measurement->median_ms : 0;
  return fmt::format("    {{{}, {}, {}, {}, {}}},\n", quoted(key.device.name),
                     compute_capability(key.device.architecture), initializer(key.problem_size),
                     initializer(best.trial.values), to_text(Value(time_ms)));
}

std::string structs(const NamedValues& parameters, const NamedValues& sizes) {
  std::string text = "struct Configuration {\n";
  for (const auto& [name, value] : parameters) text += fmt::format("  {} {};\n", member_type(value), identifier(name));
  text += "};\n\nstruct ProblemSize {\n";
  for (const auto& [name, value] : sizes) text += fmt::format("  long long {};\n", identifier(name));
  text +=
      "};\n\n"
      "struct Entry {\n"
      "  const char* device;      // the GPU's name as its driver gives it\n"
      "  int compute_capability;  // 90 for 9.0; 0 for a host\n"
      "  ProblemSize size;\n"
      "  Configuration configuration;\n"
      "  double time_ms;\n"
      "};\n";
  return text;
}

// How far apart two sizes are: the product of the larger over the smaller, dimension by dimension; 1 is equal.
std::string distance(const NamedValues& sizes) {
  std::string body = "  double result = 1;\n";
  for (const auto& [name, value] : sizes) {
    const std::string member = identifier(name);
    body += fmt::format("  result *= detail::ratio(a.{0}, b.{0});\n", member);
  }
  return "constexpr double distance(const ProblemSize& a, const ProblemSize& b) {\n" +
         (sizes.empty() ? std::string("  (void)a;\n  (void)b;\n") : std::string()) + body + "  return result;\n}\n";
}

constexpr char detail_functions[] = R"(namespace detail {

constexpr bool same_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

constexpr double ratio(long long a, long long b) {
  const double x = static_cast<double>(a), y = static_cast<double>(b);
  return x > y ? x / y : y / x;
}

}  // namespace detail
)";

constexpr char find_function[] =
    R"(// The entry for a GPU and problem size: measured on this very model at the nearest size (the smallest distance, 1 is an
// exact match), else on another GPU of the same compute capability, else nullptr. `device` is cudaDeviceProp::name.
constexpr const Entry* find(const char* device, int compute_capability, const ProblemSize& size) {
  const Entry* best = nullptr;
  bool best_exact = false;
  for (const Entry& candidate : entries) {
    const bool exact = detail::same_text(candidate.device, device);
    if (!exact && (best_exact || candidate.compute_capability != compute_capability)) continue;
    if (best == nullptr || (exact && !best_exact) || distance(candidate.size, size) < distance(best->size, size)) {
      best = &candidate;
      best_exact = exact;
    }
  }
  return best;
}

// The same, ending in the default configuration.
constexpr Configuration configuration_for(const char* device, int compute_capability, const ProblemSize& size) {
  const Entry* entry = find(device, compute_capability, size);
  return entry != nullptr ? entry->configuration : default_configuration;
}
)";

}  // namespace

std::string export_header(const ExportInput& input) {
  const db::BestRecord& first = input.winners.front();
  const NamedValues& fallback = input.fallback.empty() ? first.trial.values : input.fallback;
  std::string text = provenance(input);
  text += fmt::format("#pragma once\n\nnamespace warptune_tuned::{} {{\n\n", identifier(input.kernel));
  text += structs(first.trial.values, first.session.key.problem_size);
  text += fmt::format("\ninline constexpr Configuration default_configuration{};\n\n", initializer(fallback));
  text += "inline constexpr Entry entries[] = {\n";
  for (const db::BestRecord& best : input.winners) text += entry(best);
  text += "};\n\n";
  text += detail_functions;
  text += "\n" + distance(first.session.key.problem_size) + "\n" + find_function;
  text += fmt::format("\n}}  // namespace warptune_tuned::{}\n", identifier(input.kernel));
  return text;
}

}  // namespace warptune
