// Derives the grids and blocks of kernels that nothing in the file launches from what their indices ask for.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "tuner/kernel/draft/passes/geometry.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

// Returns the product of the suitable names that a variable is multiplied with: TILE, or BLOCK * ITEMS.
Result multiplied_with(const CExpression& expression, const std::string& variable,
                       const std::function<bool(const std::string&)>& suits) {
  if (expression.is(Kind::binary, "*")) {
    const std::vector<CExpression> factors = factors_of(expression);
    std::vector<CExpression> found;
    if (std::ranges::any_of(factors, [&](const CExpression& factor) { return factor.is(Kind::name, variable); }))
      std::ranges::copy_if(factors, std::back_inserter(found),
                           [&](const CExpression& factor) { return factor.kind == Kind::name && suits(factor.text); });
    if (!found.empty()) return product_of(found);
  }
  for (const CExpression& part : expression.parts)
    if (const Result found = multiplied_with(part, variable, suits)) return found;
  return std::nullopt;
}

// A ScaledSum holds the parts of (blockIdx.x * B + threadIdx.x) * 4, or of … / 32: the sum, and what it is multiplied
// with or divided by.
struct ScaledSum {
  CExpression sum;
  Result times, over;
};

ScaledSum scaled_sum(const CExpression& index) {
  if (index.is(Kind::binary, "/")) return {index.parts[0], {}, index.parts[1]};
  if (index.is(Kind::binary, ">>") && index.parts[1].is_integer() && index.parts[1].value < 31)
    return {index.parts[0], {}, CExpression::integer(std::int64_t{1} << index.parts[1].value)};
  // A number added to the product only moves the index within the product's factor: (…) * 2 + 1.
  for (const CExpression& term : terms_of(index)) {
    const std::vector<CExpression> factors = factors_of(term);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (terms_of(factors[i]).size() < 2) continue;
      std::vector<CExpression> others = factors;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      for (const std::string& name : names_in(factors[i]))
        if (name.starts_with("blockIdx.")) return {factors[i], product_of(others), {}};
    }
  }
  return {index, {}, {}};
}

// Returns whether the index is an element of a neighbouring block, as at a halo: (blockIdx.x - 1) * B + threadIdx.x.
bool is_of_neighbour(const ScaledSum& scaled) {
  const std::vector<CExpression> terms = terms_of(scaled.sum);
  return scaled.times && terms.size() == 2 && terms[0].kind == Kind::name &&
         (terms[1].is_integer() || (terms[1].is(Kind::unary, "-") && terms[1].parts.front().is_integer()));
}

// Returns what a block covers along the axis of its threads, which need not be the axis of the blocks.
Result covered_by_threads(const Work& work, const Site& site, int axis) {
  const std::string threads = std::string("threadIdx.") + axes[axis];
  for (const auto& [name, definition] : site.body.definitions)
    if (const BlockIndex index = block_index_of(definition); index.threads == threads && index.covered)
      return resolved_in_kernel(work, site, *index.covered);
  return std::nullopt;
}

// Replaces the kernel's own variables by their definitions in parameters and numbers:
// const int threads = (BM / TM) * (BN / TN).
CExpression without_locals(const Site& site, const CExpression& expression) {
  const Replacement replacement = [&](const std::string& name) -> Result {
    const auto definition = site.body.definitions.find(name);
    const bool varies = site.body.bounds.contains(name) || site.body.steps.contains(name);
    return definition == site.body.definitions.end() || varies ? Result() : Result(definition->second);
  };
  return simplified(replaced(expression, replacement, 2));
}

// Returns the distance between the elements of a thread that takes several of what its block covers:
// for (j = 0; j < TILE; j += ROWS) … [y + j] …, or for (j = threadIdx.x; j < n; j += THREADS). In the first case, a
// parameter that is this distance has to divide what the block covers, and a constraint says so.
Result step_of_threads(Work& work, const Site& site, int axis, const Result& covered) {
  const CExpression threads = CExpression::name(std::string("threadIdx.") + axes[axis]);
  const auto goes_with_threads = [&](const std::string& name) {
    const auto definition = site.body.definitions.find(name);
    return name == threads.text ||
           (definition != site.body.definitions.end() && block_index_of(definition->second).threads == threads.text);
  };
  for (const auto& [variable, step] : site.body.steps) {
    const CExpression known = resolved_in_kernel(work, site, without_locals(site, step));
    const auto begin = site.body.definitions.find(variable);
    if (begin != site.body.definitions.end() && begin->second.is(Kind::name, threads.text)) return known;
    const auto bounds = site.body.bounds.find(variable);
    const auto added = site.body.added.find(variable);
    if (!covered || bounds == site.body.bounds.end() || added == site.body.added.end()) continue;
    const auto is_covered = [&](const CExpression& bound) {
      return manifest_text(resolved_in_kernel(work, site, bound)) == manifest_text(*covered);
    };
    if (!std::ranges::any_of(bounds->second, is_covered) || !std::ranges::any_of(added->second, goes_with_threads))
      continue;
    const auto whole = manifest_text(*covered), part = manifest_text(known);
    const std::string divides = fmt::format("{} % {} == 0", whole.value_or(""), part.value_or(""));
    const bool said = std::ranges::find(work.draft.constraints, divides) != work.draft.constraints.end();
    if (whole && part && *whole != *part && known.kind == Kind::name && !said)
      work.draft.constraints.push_back(divides);
    return known;
  }
  return std::nullopt;
}

// Returns what a block covers, where a later expression says it: row = blockIdx.y; … (row * BM + i) ….
Result covered_later(const Draft& draft, const Site& site, int axis) {
  const CExpression blocks = CExpression::name(std::string("blockIdx.") + axes[axis]);
  const auto is_tile = [&](const std::string& name) {
    if (name.starts_with("blockDim.")) return true;
    const ParameterDraft* parameter = draft.find_parameter(name);
    return parameter &&
           (parameter->use == Use::tile || parameter->use == Use::block || parameter->use == Use::coarsening);
  };
  for (const auto& [variable, definition] : site.body.definitions) {
    if (!definition.is(Kind::name, blocks.text)) continue;
    std::vector<CExpression> places;
    for (const auto& [name, other] : site.body.definitions) places.push_back(other);
    for (const auto& [buffer, accesses] : site.body.accesses)
      for (const Access& access : accesses)
        if (access.index) places.push_back(*access.index);
    for (const CExpression& place : places)
      if (const Result found = multiplied_with(place, variable, is_tile)) return found;
  }
  return std::nullopt;
}

// Returns the size along an axis: the one whose name says so, or the only one. `whole_rows` says that each block has a
// row of something.
Result size_of_axis(const Site& site, int axis, bool whole_rows) {
  std::vector<std::string> scalars;
  for (const FunctionParameter& parameter : site.kernel->parameters)
    if (parameter.pointers == 0 && may_be_size(parameter.type)) scalars.push_back(parameter.name);
  const auto free = [&](const std::string& name) {
    return !site.body.bounds.contains(name) && std::ranges::none_of(site.body.bounds, [&](const auto& bound) {
      return std::ranges::any_of(bound.second,
                                 [&](const CExpression& other) { return names_in(other).contains(name); });
    });
  };
  if (whole_rows)
    for (const std::string& name : scalars)
      if (free(name) && (axis_of(name) == 1 || scalars.size() == 2 || name.find("batch") != std::string::npos))
        return CExpression::name(name);
  for (const std::string& name : scalars)
    if (axis_of(name) == axis && !whole_rows) return CExpression::name(name);
  if (scalars.size() == 1 && !whole_rows) return CExpression::name(scalars.front());
  // In y[row] = …, the number of rows is the only scalar that the body does not use.
  const auto unused = [&](const std::string& name) { return !contains_word(site.kernel->body, name); };
  if (!whole_rows && !site.body.uses("blockIdx.y") && std::ranges::count_if(scalars, unused) == 1)
    return CExpression::name(*std::ranges::find_if(scalars, unused));
  const Result known = size_of_product(scalars, axis);
  return known && !whole_rows ? known : std::nullopt;
}

// Returns what the variable, or one that is made of it, stays below.
Result bound_of_axis(const Work& work, const Site& site, const std::string& variable) {
  const SizeOf size = [&](const std::string& name) -> Result {
    if (name.find('.') != std::string::npos) return std::nullopt;
    const CExpression known = resolved_in_kernel(work, site, CExpression::name(name));
    const bool local = site.body.definitions.contains(name) && known.is(Kind::name, name);
    return !local && in_sizes(work.draft, known) ? Result(known) : std::nullopt;
  };
  std::vector<std::string> candidates = {variable};
  for (const auto& [name, definition] : site.body.definitions)
    if (names_in(definition).contains(variable)) candidates.push_back(name);
  for (const std::string& name : candidates) {
    if (!site.body.bounds.contains(name)) continue;
    const Result count = count_of(CExpression::name(name), site.body, size);
    if (!count) continue;
    // With warp = i / 32 and warp < rows, each row has 32 values of i.
    const auto definition = site.body.definitions.find(name);
    if (name == variable || definition == site.body.definitions.end()) return count;
    const ScaledSum sum = scaled_sum(definition->second);
    if (!sum.sum.is(Kind::name, variable)) return count;
    if (sum.over) return simplified(CExpression::binary("*", *count, resolved_in_kernel(work, site, *sum.over)));
    return count;
  }
  return std::nullopt;
}

// Returns the block's extent along an axis, as macros and templates in the source say it.
Result block_in_source(const Work& work, const Site& site, int axis, const Result& stride) {
  const auto blocks_of = [&](const CExpression& expression) -> Result {
    std::vector<CExpression> factors;
    for (const CExpression& factor : factors_of(terms_of(expression).front())) {
      const ParameterDraft* parameter = factor.kind == Kind::name ? work.draft.find_parameter(factor.text) : nullptr;
      if (!parameter) continue;
      if (parameter->use == Use::block || parameter->use == Use::tile) factors.push_back(factor);
    }
    return factors.empty() ? Result() : product_of(factors);
  };
  if (stride)
    if (Result block = blocks_of(*stride)) return block;
  const bool flat = !site.body.uses("threadIdx.y") && !site.body.uses("threadIdx.z");
  if (flat && site.kernel->bounds) return resolved_in_kernel(work, site, *site.kernel->bounds);
  const int rank = site.body.uses("threadIdx.z") ? 3 : flat ? 1 : 2;
  for (const MemoryArray& array : site.kernel->shared)
    if (static_cast<int>(array.extents.size()) == rank)
      if (Result block =
              blocks_of(resolved_in_kernel(work, site, array.extents[static_cast<std::size_t>(rank - 1 - axis)])))
        return block;
  std::vector<std::string> named;
  for (const ParameterDraft& parameter : work.draft.parameters) {
    if (parameter.use != Use::block && parameter.use != Use::tile) continue;
    if (axis_of(parameter.name) == axis) return CExpression::name(parameter.name);
    if (axis_of(parameter.name)) continue;
    named.push_back(parameter.name);
  }
  return named.size() == 1 ? Result(CExpression::name(named.front())) : std::nullopt;
}

CExpression block_of_axis(Work& work, const Site& site, int axis, const Result& stride) {
  const std::string own = std::string("blockDim.") + axes[axis];
  if (auto block = block_in_source(work, site, axis, stride)) {
    note_undecided_block(work.draft, site, *block, axis);
    return *block;
  }
  if (site.body.uses(own)) return new_block_parameter(work, site, axis, 0);
  for (const auto& [name, definition] : site.body.definitions)
    if (definition.is(Kind::name, std::string("threadIdx.") + axes[axis]))
      if (auto bound = bound_of_axis(work, site, name)) return *bound;
  if (auto block = literal_block(work, site, axis)) return *block;
  work.draft.blanks.push_back(
      fmt::format("launches: how many threads per block along {} {} needs", axes[axis], site.kernel->name));
  return CExpression::name(blank);
}

void find_block(Work& work, Site& site, int axis) {
  const auto at = static_cast<std::size_t>(axis);
  if (!site.body.uses(std::string("threadIdx.") + axes[axis])) return;
  if (const Result threads = threads_in_rows(work, site, axis))
    return use_rows_as_block(work.draft, site, axis, *threads);
  const Cover cover = cover_of_axis(work.draft, site, axis);
  const Result of_threads = covered_by_threads(work, site, axis);
  const Result step = step_of_threads(work, site, axis, of_threads);
  // The step of for (c = threadIdx.x; c < n; c += 32) is the number of threads.
  const bool is_known = step && manifest_text(*step) && !(step->is_integer() && step->value <= 1) &&
                        std::ranges::all_of(names_in(*step), [&](const std::string& name) {
                          return work.draft.find_parameter(name) != nullptr;
                        });
  const Result stride = cover.elements ? Result(resolved_in_kernel(work, site, *cover.elements)) : std::nullopt;
  site.block[at] = is_known ? *step : block_of_axis(work, site, axis, step ? step : of_threads ? of_threads : stride);
}

void find_grid(Work& work, Site& site, int axis) {
  const auto at = static_cast<std::size_t>(axis);
  if (!site.body.uses(std::string("blockIdx.") + axes[axis])) return;
  const Cover cover = cover_of_axis(work.draft, site, axis);
  const bool whole_rows = !cover.elements || (cover.elements->is_integer() && cover.elements->value == 1);
  Result whole = cover.variable.empty() ? Result() : bound_of_axis(work, site, cover.variable);
  if (whole && cover.threads_each)
    whole = simplified(CExpression::binary("*", *whole, resolved_in_kernel(work, site, *cover.threads_each)));
  if (!whole) whole = size_of_axis(site, axis, whole_rows);
  if (!whole && !whole_rows) whole = macro_size_of_axis(work, site, axis);
  if (!whole) {
    const std::string name = fmt::format("{}_{}", whole_rows ? "blocks" : "elements", axes[axis]);
    whole = CExpression::name(name);
    work.draft.guesses.push_back(fmt::format("[sizes] {0}: the source does not say how many {1} {2} has along {3}",
                                             name, whole_rows ? "blocks" : "elements", site.kernel->name, axes[axis]));
  }
  const CExpression divisor =
      cover.elements ? resolved_in_kernel(work, site, *cover.elements) : CExpression::integer(1);
  site.axis[at] = whole;
  site.grid[at] =
      divisor.is_integer() && divisor.value == 1 ? *whole : CExpression{Kind::call, "ceildiv", 0, {*whole, divisor}};
}

}  // namespace

Cover cover_of_axis(const Draft& draft, const Site& site, int axis) {
  const std::string block_index = std::string("blockIdx.") + axes[axis];
  Cover cover;
  for (const auto& [name, definition] : site.body.definitions) {
    const ScaledSum sum = scaled_sum(definition);
    if (is_of_neighbour(sum)) continue;
    for (const CExpression& term : terms_of(sum.sum)) {
      std::vector<CExpression> factors = factors_of(term);
      const auto own =
          std::ranges::find_if(factors, [&](const CExpression& factor) { return factor.is(Kind::name, block_index); });
      if (own == factors.end() || cover.elements) continue;
      factors.erase(own);
      if (sum.times) factors.push_back(*sum.times);
      cover = {product_of(factors), name, sum.over};
    }
  }
  if (!cover.elements || (cover.elements->is_integer() && cover.elements->value == 1))
    if (Result later = covered_later(draft, site, axis)) cover.elements = later;
  return cover;
}

void find_geometry(Work& work, Site& site) {
  for (int axis = 0; axis < 3; ++axis) find_block(work, site, axis);
  for (int axis = 0; axis < 3; ++axis) find_grid(work, site, axis);
}

}  // namespace warptune::tuner::draft
