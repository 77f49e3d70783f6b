// Resolves problems from presets and requests, and builds the constraints of spaces.
#include "tuner/kernel/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "search/assignments.h"
#include "search/spelling.h"
#include "tuner/kernel/attribute_expressions.h"
#include "tuner/kernel/program.h"

namespace warptune::tuner {

namespace {

std::vector<std::string> value_names(const search::NamedValues& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

// Returns the part of a message that names an unknown name and the known ones: "'m' (did you mean M?); it has M, N".
std::string unknown_name(const std::string& name, const std::vector<std::string>& known) {
  return fmt::format("'{}'{}; it has {}", name, search::did_you_mean(name, known),
                     known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

search::NamedValues default_variants(const KernelTemplate& kernel) {
  search::NamedValues variants;
  for (const search::Parameter& variant : kernel.variants) variants.emplace_back(variant.name, variant.values.front());
  return variants;
}

std::vector<std::string> known_values(const search::Parameter& variant) {
  std::vector<std::string> texts;
  for (const search::Value& value : variant.values) texts.push_back(search::to_text(value));
  return texts;
}

const search::Parameter* find_variant(const KernelTemplate& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.variants, name, &search::Parameter::name);
  return found == kernel.variants.end() ? nullptr : &*found;
}

// Sets the variant to the known value with the same text. So "2" from a file means 2, and 1 does not mean true.
void set_variant(Problem& problem, const search::Parameter& variant, const search::Value& value,
                 const KernelTemplate& kernel) {
  const std::string wanted = search::to_text(value);
  for (const search::Value& known : variant.values) {
    if (search::to_text(known) != wanted) continue;
    std::ranges::find(problem.variants, variant.name, &search::NamedValues::value_type::first)->second = known;
    return;
  }
  const std::vector<std::string> known = known_values(variant);
  throw RequestError(fmt::format("{} is a variant of {}: expected one of {}, as in --variant {}={}, not '{}'{}",
                                 variant.name, kernel.name, fmt::join(known, ", "), variant.name, known.front(), wanted,
                                 search::did_you_mean(wanted, known)));
}

void set_variant(Problem& problem, const std::string& name, const search::Value& value, const KernelTemplate& kernel) {
  if (const search::Parameter* variant = find_variant(kernel, name))
    return set_variant(problem, *variant, value, kernel);
  if (search::find_value(kernel.sizes, name))
    throw RequestError(fmt::format("{} is a size of {}: expected a positive integer, as in --size {}=1024, not '{}'",
                                   name, kernel.name, name, search::to_text(value)));
  throw RequestError(
      fmt::format("{} has no variant {}", kernel.name, unknown_name(name, value_names(default_variants(kernel)))));
}

void set_size(Problem& problem, const std::string& name, const search::Value& value, const KernelTemplate& kernel) {
  if (const search::Parameter* variant = find_variant(kernel, name))
    return set_variant(problem, *variant, value, kernel);
  const auto found = std::ranges::find(problem.sizes, name, &search::NamedValues::value_type::first);
  if (found == problem.sizes.end())
    throw RequestError(
        fmt::format("{} has no problem size {}", kernel.name, unknown_name(name, value_names(kernel.sizes))));
  const auto* number = std::get_if<std::int64_t>(&value);
  if (!number || *number < 1)
    throw RequestError(fmt::format("problem size {}={}: expected a positive integer", name, search::to_text(value)));
  const auto limit = kernel.size_limits.find(name);
  if (limit != kernel.size_limits.end() && *number > limit->second)
    throw RequestError(
        fmt::format("problem size {}={}: {} takes at most {}", name, *number, kernel.name, limit->second));
  found->second = value;
}

void refuse_twice(const search::NamedValues& values, const std::string& name, const std::string& text,
                  const char* advice = "") {
  if (search::find_value(values, name)) throw RequestError(fmt::format("'{}' gives {} twice{}", text, name, advice));
}

std::int64_t parse_count(const std::string& item, std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string_view suffix(end, static_cast<std::size_t>(digits.data() + digits.size() - end));
  const int shift = suffix == "k" || suffix == "K" ? 10
                    : suffix == "M"                ? 20
                    : suffix == "G"                ? 30
                    : suffix.empty()               ? 0
                                                   : -1;
  std::int64_t scaled = 0;
  if (error != std::errc() || shift < 0 || __builtin_mul_overflow(number, std::int64_t{1} << shift, &scaled))
    throw RequestError(fmt::format("'{}': expected NAME=INTEGER, as in M=1024 or N=4k", item));
  return scaled;
}

std::string product(const std::array<search::Expression, 3>& dimensions) {
  return fmt::format("({}) * ({}) * ({})", dimensions[0].text(), dimensions[1].text(), dimensions[2].text());
}

// A launch that does not happen demands nothing.
search::Constraint demand(const Launch& launch, const std::string& condition, const std::string& shown) {
  const std::string of_launch = launch.kernel + ": " + shown;
  if (!launch.when) return {.text = condition, .shown = of_launch};
  const std::string& when = launch.when->text();
  return {.text = fmt::format("not ({}) or {}", when, condition), .shown = fmt::format("{} (if {})", of_launch, when)};
}

void add_geometry_limits(const Launch& launch, std::vector<search::Constraint>& constraints) {
  constraints.push_back(demand(launch, fmt::format("{} <= max_threads_per_block", product(launch.block)),
                               "threads per block <= max_threads_per_block"));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto within = [&](const search::Expression& extent, const std::string& called) {
      const std::string limit = fmt::format("max_{}_{}", called, "xyz"[axis]);
      constraints.push_back(demand(launch, fmt::format("1 <= ({}) <= {}", extent.text(), limit),
                                   fmt::format("1 <= {}.{} <= {}", called, "xyz"[axis], limit)));
    };
    within(launch.block[axis], "block");
    within(launch.grid[axis], "grid");
  }
  constraints.push_back(
      demand(launch, fmt::format("0 <= ({}) <= max_shared_memory_per_block_optin", launch.shared_bytes.text()),
             "0 <= dynamic shared memory <= max_shared_memory_per_block_optin"));
}

}  // namespace

search::NamedValues Problem::values() const {
  search::NamedValues all = sizes;
  all.insert(all.end(), variants.begin(), variants.end());
  return all;
}

std::string Problem::text() const {
  return search::to_text(values());
}

Problem resolve_problem(const KernelTemplate& kernel, const std::string& preset, const Problem& overrides) {
  Problem problem{kernel.sizes, default_variants(kernel)};
  if (!preset.empty()) {
    const auto found = kernel.presets.find(preset);
    if (found == kernel.presets.end()) {
      std::vector<std::string> known;
      for (const auto& [name, values] : kernel.presets) known.push_back(name);
      throw RequestError(fmt::format("{} has no preset {}", kernel.name, unknown_name(preset, known)));
    }
    for (const auto& [name, value] : found->second) set_size(problem, name, value, kernel);
  }
  for (const auto& [name, value] : overrides.sizes) set_size(problem, name, value, kernel);
  for (const auto& [name, value] : overrides.variants) set_variant(problem, name, value, kernel);
  return problem;
}

std::string effective_preset(const KernelTemplate& kernel, const std::string& asked, const DeviceInfo& device) {
  return asked.empty() && device.is_host() && kernel.presets.contains("host") ? "host" : asked;
}

search::NamedValues parse_sizes(const std::string& text) {
  search::NamedValues sizes;
  for (const std::string& item : search::split_assignments(text)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      throw RequestError(fmt::format("'{}': expected NAME=INTEGER, as in M=1024 or N=4k", item));
    const std::string name = item.substr(0, equals);
    refuse_twice(sizes, name, text, "; --sizes takes a file of several problems");
    sizes.emplace_back(name, parse_count(item, std::string_view(item).substr(equals + 1)));
  }
  return sizes;
}

search::NamedValues parse_variants(const std::string& text) {
  search::NamedValues variants;
  for (const std::string& item : search::split_assignments(text)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size())
      throw RequestError(fmt::format(
          "'{}': expected NAME=VALUE, as in PRECISION=double; the manifest's [variants] has the choices", item));
    refuse_twice(variants, item.substr(0, equals), text);
    variants.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  return variants;
}

Problem parse_problem(const std::string& text) {
  Problem problem;
  for (const std::string& item : search::split_assignments(text)) {
    const std::size_t equals = item.find('=');
    const bool counts = equals != std::string::npos && equals + 1 < item.size() &&
                        std::isdigit(static_cast<unsigned char>(item[equals + 1]));
    const search::NamedValues one = counts ? parse_sizes(item) : parse_variants(item);
    refuse_twice(problem.values(), one.front().first, text);
    auto& list = counts ? problem.sizes : problem.variants;
    list.insert(list.end(), one.begin(), one.end());
  }
  return problem;
}

search::NamedValues problem_constants(const search::NamedValues& problem, const DeviceInfo& device) {
  search::NamedValues constants = problem;
  for (auto& limit : device.limits()) constants.push_back(std::move(limit));
  return constants;
}

search::NamedValues scope_of(const search::NamedValues& constants, const search::NamedValues& values) {
  search::NamedValues scope = constants;
  scope.insert(scope.end(), values.begin(), values.end());
  return scope;
}

search::NamedValues at_first_pass(search::NamedValues scope) {
  scope.emplace_back("pass", std::int64_t{0});
  return scope;
}

std::vector<search::Constraint> device_constraints(const KernelTemplate& kernel) {
  std::vector<search::Constraint> constraints;
  for (const Launch& launch : kernel.launches) {
    if (!launch.is_kernel()) continue;
    add_geometry_limits(launch, constraints);
    for (const search::Constraint& one : attribute_constraints(launch))
      constraints.push_back(demand(launch, "(" + one.text + ")", one.in_reports()));
  }
  std::ranges::sort(constraints, {}, &search::Constraint::text);
  const auto same = [](const search::Constraint& a, const search::Constraint& b) { return a.text == b.text; };
  constraints.erase(std::unique(constraints.begin(), constraints.end(), same), constraints.end());
  return constraints;
}

const std::string& as_written(const KernelTemplate& kernel, const std::string& constraint) {
  const auto written = kernel.written_constraints.find(constraint);
  return written == kernel.written_constraints.end() ? constraint : written->second;
}

std::string as_written(const KernelTemplate& kernel, const std::string& constraint, const search::NamedValues& scope) {
  std::string text = as_written(kernel, constraint);
  const search::Expression written = search::Expression::parse(text);
  std::vector<std::string> values;
  for (const std::string& name : written.names()) {
    const auto derived = std::ranges::find(kernel.derived, name, &NamedExpressions::value_type::first);
    if (derived == kernel.derived.end()) continue;
    try {
      values.push_back(fmt::format("{} = {}", name, search::to_text(derived->second.evaluate(scope))));
    } catch (const search::ExpressionError&) {  // without a value, as after a division by zero
    }
  }
  return values.empty() ? text : fmt::format("{}, where {}", text, fmt::join(values, ", "));
}

search::SearchSpace build_space(const KernelTemplate& kernel, const search::NamedValues& constants) {
  std::vector<search::Constraint> constraints;
  for (const std::string& text : kernel.constraints)
    constraints.push_back({.text = text, .shown = as_written(kernel, text)});
  for (search::Constraint& limit : device_constraints(kernel)) constraints.push_back(std::move(limit));
  if (kernel.program)
    constraints.insert(constraints.end(), kernel.program->constraints.begin(), kernel.program->constraints.end());
  return search::SearchSpace::build(kernel.parameters, std::move(constraints), at_first_pass(constants));
}

}  // namespace warptune::tuner
