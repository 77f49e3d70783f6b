// Finds how much shared memory a launch has: as the host's code says it, else what the kernel's indices reach at most.
// What comes from the block follows the block, and nothing that the kernel is not given becomes a size. A size may be
// chosen and is made smaller on the host. Neither may happen to the bytes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/geometry.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

Result extent_of_name(const Work& work, const Site& site, const std::string& name, int depth);

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

// Returns the names that the launch depends on anyway: those in its grid, block and arguments, and in the buffers'
// lengths.
std::set<std::string> sizes_of_launch(Work& work, const Site& site) {
  std::set<std::string> names;
  for (const auto* dimensions : {&site.grid, &site.block})
    for (const Result& dimension : *dimensions)
      if (dimension) names.merge(names_in(*dimension));
  for (const TokenSpan argument : split_at_commas(site.host->arguments))
    if (const Result value = parse_c(argument)) names.merge(names_in(resolved_in_host(work, site, *value)));
  for (const auto& [buffer, bytes] : site.scope.allocated_bytes)
    names.merge(names_in(resolved_in_host(work, site, bytes)));
  return names;
}

// Returns what a name in the host's bytes stands for. Returns std::nullopt for a variable that stands for its value.
Result known_in_bytes(const Work& work, const Site& site, const std::string& name, const std::set<std::string>& sizes) {
  const CExpression itself = CExpression::name(name);
  if (work.draft.find_parameter(name) || work.meanings.block_variables.contains(name) ||
      work.meanings.template_numbers.contains(name))
    return itself;
  const std::size_t dot = name.find('.');
  const auto& configuration = site.host->configuration;
  if (dot != std::string::npos && configuration[1].size() == 1 && configuration[1].front().is(name.substr(0, dot))) {
    const std::size_t axis = std::string_view(axes).find(name.substr(dot + 1));
    if (axis < 3) return site.block[axis].value_or(CExpression::integer(1));
  }
  if (const auto derived = work.facts.derived.find(name); derived != work.facts.derived.end()) return derived->second;
  const NamedInteger* integer = work.facts.find_integer(name);
  const bool is_size =
      sizes.contains(name) || std::ranges::find(work.draft.sizes, name, &SizeDraft::name) != work.draft.sizes.end();
  if (integer) return is_size ? itself : CExpression::integer(integer->value);
  if (name.starts_with("sizeof(") && name.ends_with(")")) {
    const auto type = site.types.find(name.substr(7, name.size() - 8));
    return type == site.types.end() ? itself : CExpression::name("sizeof(" + type->second + ")");
  }
  if (!is_size && site.scope.changed.contains(name)) return CExpression::name("?");
  return is_size ? Result(itself) : std::nullopt;
}

bool is_of_threads(const CExpression& expression) {
  const auto names = names_in(expression);
  return !names.empty() &&
         std::ranges::all_of(names, [](const std::string& name) { return name.starts_with("threadIdx."); });
}

CExpression sum_with_one_number(const std::vector<CExpression>& parts, std::int64_t number) {
  Result sum;
  for (const CExpression& part : parts)
    for (const CExpression& term : terms_of(simplified(part))) {
      const bool negative = term.is(Kind::unary, "-");
      const CExpression& inner = negative ? term.parts.front() : term;
      if (inner.is_integer())
        number += negative ? -inner.value : inner.value;
      else
        sum = sum ? CExpression::binary(negative ? "-" : "+", *sum, inner) : term;
    }
  if (!sum) return CExpression::integer(number);
  if (number < 0) return CExpression::binary("-", *sum, CExpression::integer(-number));
  return number == 0 ? *sum : CExpression::binary("+", *sum, CExpression::integer(number));
}

// Returns whether each term of one sum is also a term of the other, which is then at least as large.
bool is_within(const CExpression& one, const CExpression& other) {
  const auto texts = [](const CExpression& sum) {
    std::multiset<std::string> result;
    for (const CExpression& term : terms_of(sum)) result.insert(manifest_text(term).value_or("?"));
    return result;
  };
  return std::ranges::includes(texts(other), texts(one));
}

// Returns whether the index is a step of a reduction's tree, as s[tid + d] where tid < d. It stays within what was
// there before.
bool is_step_of_tree(const Site& site, const CExpression& index) {
  const std::vector<CExpression> terms = terms_of(index);
  return std::ranges::any_of(terms, [&](const CExpression& one) {
    const auto bounds = site.body.bounds.find(one.text);
    return one.kind == Kind::name && bounds != site.body.bounds.end() &&
           std::ranges::any_of(terms, [&](const CExpression& other) {
             return other.kind == Kind::name && site.body.definitions.contains(other.text) &&
                    std::ranges::any_of(bounds->second,
                                        [&](const CExpression& bound) { return bound.is(Kind::name, other.text); });
           });
  });
}

// Returns how many values an index has from 0 on. Terms that vary reach as far as all of them do together, and fixed
// terms move the whole.
Result extent_of(const Work& work, const Site& site, const CExpression& index, int depth = 8) {
  if (depth == 0) return std::nullopt;
  std::vector<CExpression> varying, fixed;
  for (const CExpression& term : terms_of(index)) {
    if (term.is(Kind::unary, "-")) continue;
    const CExpression known = resolved_in_kernel(work, site, term);
    const bool is_fixed = std::ranges::all_of(names_in(known), [&](const std::string& name) {
      return work.draft.find_parameter(name) || work.meanings.known_values.contains(name) ||
             (site.given.contains(name) && !site.body.definitions.contains(name));
    });
    if (is_fixed && manifest_text(known)) {
      fixed.push_back(known);
      continue;
    }
    const Result extent = term.kind == Kind::name ? extent_of_name(work, site, term.text, depth) : Result();
    if (!extent) return std::nullopt;
    varying.push_back(*extent);
  }
  if (varying.empty()) fixed.push_back(CExpression::integer(1));
  fixed.insert(fixed.begin(), varying.begin(), varying.end());
  return sum_with_one_number(fixed, varying.empty() ? 0 : 1 - static_cast<std::int64_t>(varying.size()));
}

// Returns how many values a name has from 0 on.
Result extent_of_name(const Work& work, const Site& site, const std::string& name, int depth) {
  for (std::size_t i = 0; i < 3; ++i)
    if (name == std::string("threadIdx.") + axes[i]) return site.block[i];
  const auto definition = site.body.definitions.find(name);
  // If a variable is made of threads, their number says more than a bound does, which may be that of a reduction's
  // tree. The bound counts for a variable of a loop.
  if (definition != site.body.definitions.end() && is_of_threads(definition->second) && !site.body.steps.contains(name))
    return extent_of(work, site, definition->second, depth - 1);
  if (const auto bounds = site.body.bounds.find(name); bounds != site.body.bounds.end())
    for (const CExpression& bound : bounds->second) {
      const CExpression known = resolved_in_kernel(work, site, bound);
      const bool settled = std::ranges::all_of(names_in(known), [&](const std::string& part) {
        return work.draft.find_parameter(part) || site.given.contains(part) ||
               work.meanings.known_values.contains(part);
      });
      if (settled && manifest_text(known)) return known;
    }
  if (definition == site.body.definitions.end()) return std::nullopt;
  return extent_of(work, site, definition->second, depth - 1);
}

}  // namespace

void limit_shared_memory(Work& work) {
  for (const Site& site : work.sites) {
    std::vector<CExpression> sums;
    for (const MemoryArray& array : site.kernel->shared) {
      const auto type = site.types.find(array.type);
      const std::int64_t bytes = bytes_of_type(type != site.types.end() ? type->second : array.type);
      if (array.is_extern || bytes == 0) continue;
      std::vector<CExpression> factors = array.extents;
      factors.push_back(CExpression::integer(bytes));
      sums.push_back(resolved_in_kernel(work, site, product_of(factors)));
    }
    if (sums.empty()) continue;
    CExpression sum = sums.front();
    for (std::size_t i = 1; i < sums.size(); ++i) sum = CExpression::binary("+", sum, sums[i]);
    sum = simplified(sum);
    const auto names = names_in(sum);
    const bool varies =
        std::ranges::any_of(names, [&](const std::string& name) { return work.draft.find_parameter(name); });
    const bool known = std::ranges::all_of(
        names, [&](const std::string& name) { return work.draft.find_parameter(name) || work.draft.find_size(name); });
    const auto text = manifest_text(sum);
    if (text && varies && known) add_constraint(work.draft, *text + " <= 49152");
  }
}

void read_host_shared(Work& work, Site& site, const Result& bytes) {
  if (!bytes) return;
  std::vector<Threads> threads;
  std::set<std::string> parameters;
  for (const Result& dimension : site.block)
    if (const ParameterDraft* parameter =
            dimension && dimension->kind == Kind::name ? work.draft.find_parameter(dimension->text) : nullptr) {
      threads.push_back({parameter->fallback, parameter->name});
      parameters.insert(parameter->name);
    }
  const std::set<std::string> sizes = sizes_of_launch(work, site);
  const Replacement known = [&](const std::string& name) { return known_in_bytes(work, site, name, sizes); };
  CExpression opened = with_host_values(work.meanings, site, *bytes, known);
  follow_threads(opened, threads);
  site.shared = resolved_in_host(work, site, opened);
  const bool is_followed = std::ranges::all_of(names_in(*site.shared), [&](const std::string& name) {
    return work.draft.find_parameter(name) || known(name) == CExpression::name(name);
  });
  if (!is_followed || !manifest_text(*site.shared)) site.shared = CExpression::name(blank);
  if (!parameters.empty() && site.shared->is_integer() && site.shared->value > 0)
    work.draft.guesses.push_back(
        fmt::format("launches: shared stays {} bytes for every {}, as line {} says it. If larger blocks need more, "
                    "write how much by {}",
                    site.shared->value, fmt::join(parameters, " and "), site.host->line, *parameters.begin()));
}

Result dynamic_shared(const Work& work, const Site& site) {
  for (const MemoryArray& array : site.kernel->shared) {
    const auto type = site.types.find(array.type);
    const std::int64_t bytes = bytes_of_type(type != site.types.end() ? type->second : array.type);
    const auto accesses = site.body.accesses.find(array.name);
    if (!array.is_extern || bytes == 0 || accesses == site.body.accesses.end()) continue;
    std::vector<CExpression> extents;
    std::set<std::string> seen;
    for (const Access& access : accesses->second) {
      if (!access.index || is_step_of_tree(site, *access.index)) continue;
      const Result extent = extent_of(work, site, *access.index);
      const auto text = extent ? manifest_text(*extent) : std::nullopt;
      if (text && !extent->is_integer() && seen.insert(*text).second) extents.push_back(*extent);
    }
    std::erase_if(extents, [all = extents](const CExpression& one) {
      return std::ranges::any_of(
          all, [&](const CExpression& other) { return is_within(one, other) && !is_within(other, one); });
    });
    if (extents.empty()) continue;
    CExpression most = extents.front();
    for (std::size_t i = 1; i < extents.size(); ++i) most = {Kind::call, "max", 0, {most, extents[i]}};
    return CExpression::binary("*", most, CExpression::integer(bytes));
  }
  return std::nullopt;
}

}  // namespace warptune::tuner::draft
