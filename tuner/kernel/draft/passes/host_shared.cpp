// Takes the dynamic shared memory from the host's code. What comes from the block follows the block, and nothing that
// the kernel is not given becomes a size. A size may be chosen and is made smaller on the host. Neither may happen to
// the bytes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

// These are the threads along an axis that became a parameter.
struct Threads {
  std::int64_t number = 0;
  std::string parameter;
};

// Replaces numbers that are the threads' by their parameters, each axis once. For 16 x 16 threads, it changes 16 * 16
// and (16 + 2) * (16 + 2).
void follow_threads(CExpression& bytes, std::vector<Threads>& axes_left) {
  const auto same = std::ranges::find_if(
      axes_left, [&](const Threads& one) { return bytes.is_integer() && bytes.value == one.number; });
  if (same != axes_left.end()) {
    bytes = CExpression::name(same->parameter);
    axes_left.erase(same);
  } else if (bytes.is(Kind::binary, "*")) {
    for (CExpression& part : bytes.parts) follow_threads(part, axes_left);
  } else if (bytes.is(Kind::binary, "+")) {
    follow_threads(bytes.parts.front(), axes_left);
  }
}

}  // namespace

// Returns the names that the launch depends on anyway: those in its grid, block and arguments, and in the buffers'
// lengths.
std::set<std::string> Drafter::sizes_of_launch(const Site& site) {
  std::set<std::string> names;
  for (const auto* dimensions : {&site.grid, &site.block})
    for (const Result& dimension : *dimensions)
      if (dimension) names.merge(names_in(*dimension));
  for (const TokenSpan argument : split_at_commas(site.host->arguments))
    if (const Result value = parse_c(argument)) names.merge(names_in(resolved(site, *value)));
  for (const auto& [buffer, bytes] : site.scope.allocated_bytes) names.merge(names_in(resolved(site, bytes)));
  return names;
}

// Returns what a name in the host's bytes stands for. Returns std::nullopt for a variable that stands for its value.
Result Drafter::known_in_bytes(const Site& site, const std::string& name, const std::set<std::string>& sizes) const {
  const CExpression itself = CExpression::name(name);
  if (draft_.find_parameter(name) || block_variables_.contains(name) || template_numbers_.contains(name)) return itself;
  const std::size_t dot = name.find('.');
  const auto& configuration = site.host->configuration;
  if (dot != std::string::npos && configuration[1].size() == 1 && configuration[1].front().is(name.substr(0, dot))) {
    const std::size_t axis = std::string_view(axes).find(name.substr(dot + 1));
    if (axis < 3) return site.block[axis].value_or(CExpression::integer(1));
  }
  if (const auto derived = facts_.derived.find(name); derived != facts_.derived.end()) return derived->second;
  const NamedInteger* integer = facts_.find_integer(name);
  const bool is_size =
      sizes.contains(name) || std::ranges::find(draft_.sizes, name, &SizeDraft::name) != draft_.sizes.end();
  if (integer) return is_size ? itself : CExpression::integer(integer->value);
  if (name.starts_with("sizeof(") && name.ends_with(")")) {
    const auto type = site.types.find(name.substr(7, name.size() - 8));
    return type == site.types.end() ? itself : CExpression::name("sizeof(" + type->second + ")");
  }
  if (!is_size && site.scope.changed.contains(name)) return CExpression::name("?");
  return is_size ? Result(itself) : std::nullopt;
}

// Takes the bytes of a launch such as k<<<n, 128, 128 * sizeof(float)>>>. Where the 128 threads became a parameter, the
// bytes follow it.
void Drafter::take_host_shared(Site& site, const Result& bytes) {
  if (!bytes) return;
  std::vector<Threads> threads;
  std::set<std::string> parameters;
  for (const Result& dimension : site.block)
    if (const ParameterDraft* parameter =
            dimension && dimension->kind == Kind::name ? draft_.find_parameter(dimension->text) : nullptr) {
      threads.push_back({parameter->fallback, parameter->name});
      parameters.insert(parameter->name);
    }
  const std::set<std::string> sizes = sizes_of_launch(site);
  const Replacement known = [&](const std::string& name) { return known_in_bytes(site, name, sizes); };
  CExpression opened = opened_in_host(site, *bytes, known);
  follow_threads(opened, threads);
  site.shared = resolved(site, opened);
  const bool is_followed = std::ranges::all_of(names_in(*site.shared), [&](const std::string& name) {
    return draft_.find_parameter(name) || known(name) == CExpression::name(name);
  });
  if (!is_followed || !manifest_text(*site.shared)) site.shared = CExpression::name(blank);
  if (!parameters.empty() && site.shared->is_integer() && site.shared->value > 0)
    draft_.guesses.push_back(
        fmt::format("launches: shared stays {} bytes for every {}, as line {} says it. If larger blocks need more, "
                    "write how much by {}",
                    site.shared->value, fmt::join(parameters, " and "), site.host->line, *parameters.begin()));
}

}  // namespace warptune::tuner::draft
