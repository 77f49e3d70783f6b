// Kernels that do not ask whether an index is still within its buffer run only for sizes that consist of whole blocks.
// A constraint says so; without it, other sizes and blocks would read and write outside.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "tuner/kernel/draft/passes/geometry.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

// Returns whether the index has only sums and products. Others, such as i % n, min(i, n) and a ? b : c, may keep an
// index within a buffer.
bool is_plain(const CExpression& index) {
  static const std::set<std::string> signs = {"+", "-", "*"};
  if (index.kind == Kind::integer || index.kind == Kind::name) return true;
  if (index.kind != Kind::binary && index.kind != Kind::unary) return false;
  return signs.contains(index.text) && std::ranges::all_of(index.parts, is_plain);
}

bool is_parted(const CExpression& grid) {
  return grid.is(Kind::call, "ceildiv") || grid.is(Kind::binary, "/");
}

// Returns whether elements are taken by the block's index along the axis, and neither this index nor what is made of it
// is compared.
bool is_unbounded(const Site& site, int axis) {
  const std::set<std::string> names = dependents_of(std::string("blockIdx.") + axes[axis], site.body);
  const auto meets = [&](const std::set<std::string>& others) {
    return std::ranges::any_of(names, [&](const std::string& name) { return others.contains(name); });
  };
  if (meets(site.body.compared)) return false;
  for (const std::string& name : names)
    if (const auto known = site.body.definitions.find(name);
        known != site.body.definitions.end() && !is_plain(known->second))
      return false;
  return std::ranges::any_of(site.kernel->parameters, [&](const FunctionParameter& parameter) {
    const auto accesses = site.body.accesses.find(parameter.name);
    return accesses != site.body.accesses.end() && std::ranges::any_of(accesses->second, [&](const Access& access) {
             return access.index && is_plain(*access.index) && meets(names_in(*access.index));
           });
  });
}

// Returns whether a thread that is out of bounds writes nothing: each store by a thread's own index uses one of the
// bounded variables. Other stores, such as one by each block, do not count, because any condition may guard them.
bool bounds_all_stores(const Site& site, int axis, const std::set<std::string>& bounded) {
  const std::string blocks = std::string("blockIdx.") + axes[axis];
  return std::ranges::all_of(site.body.accesses, [&](const auto& accesses) {
    return std::ranges::all_of(accesses.second, [&](const Access& access) {
      if (!access.write) return true;
      if (!access.index) return false;
      const std::set<std::string> names = dependencies_of(names_in(*access.index), site.body);
      const auto of_thread = [](const std::string& name) { return name.starts_with("threadIdx."); };
      return std::ranges::any_of(names, [&](const std::string& name) { return bounded.contains(name); }) ||
             !names.contains(blocks) || std::ranges::none_of(names, of_thread);
    });
  });
}

// Returns whether a thread beyond the last element checks for that:
// i = blockIdx.x * covered + threadIdx.x, and i < whole.
bool is_bounded_by(const Work& work, const Site& site, int axis, const CExpression& covered, const CExpression& whole) {
  const auto is = [&](const CExpression& expression, const CExpression& wanted) {
    const auto text = manifest_text(resolved_in_kernel(work, site, expression));
    return text && text == manifest_text(wanted);
  };
  const std::string blocks = std::string("blockIdx.") + axes[axis];
  std::set<std::string> bounded;
  for (const auto& [variable, bounds] : site.body.bounds) {
    const auto definition = site.body.definitions.find(variable);
    if (definition == site.body.definitions.end()) continue;
    const BlockIndex index = block_index_of(definition->second);
    if (index.blocks == blocks && is(*index.covered, covered) &&
        std::ranges::any_of(bounds, [&](const CExpression& bound) { return is(bound, whole); }))
      bounded.insert(variable);
  }
  return !bounded.empty() && bounds_all_stores(site, axis, bounded);
}

// k<<<n / 256, 256>>> has no thread for what n / 256 leaves over; a grid-stride loop takes any number of blocks.
bool rounds_down(const Draft& draft, const Site& site, int axis) {
  const auto& grid = site.grid[static_cast<std::size_t>(axis)];
  return site.host && grid && grid->is(Kind::binary, "/") && in_sizes(draft, grid->parts[0]) &&
         !site.body.uses(std::string("gridDim.") + axes[axis]);
}

void add_whole_blocks(const Draft& draft, const Site& site, const CExpression& whole, const CExpression& covered,
                      const std::string& floor, std::vector<WholeBlocks>& parts) {
  if (!in_sizes(draft, whole) || names_in(whole).empty() || (covered.is_integer() && covered.value < 2)) return;
  const auto text = manifest_text(CExpression::binary("%", whole, covered));
  if (text && !names_in(covered).contains(blank)) parts.push_back({whole, covered, *text, site.kernel->name, floor});
}

// Makes guessed sizes and the sizes on the host multiples of what blocks cover at the default configuration.
void round_sizes(Draft& draft, const std::vector<WholeBlocks>& parts) {
  constexpr std::int64_t most = 65536;  // no block covers more
  for (SizeDraft& size : draft.sizes) {
    std::int64_t multiple = 1;
    for (const WholeBlocks& part : parts) {
      if (!part.whole.is(Kind::name, size.name)) continue;
      const std::int64_t covered = value_by_default(draft, *manifest_text(part.covered), &SizeDraft::value).value_or(0);
      if (covered > 0 && covered <= most && multiple <= most) multiple = std::lcm(multiple, covered);
    }
    const bool same = size.on_host == size.value;
    if (size.is_guess) size.value += (multiple - size.value % multiple) % multiple;
    if (size.on_host > multiple) size.on_host -= size.on_host % multiple;
    if (same || size.on_host < multiple) size.on_host = size.value;
  }
}

std::string about_rest(const WholeBlocks& part, bool is_left) {
  if (!part.floor.empty())
    return fmt::format(
        "{} launches as many blocks of {} as there are whole {} in {}: {} leaves out the last {} "
        "elements",
        part.floor, part.kernel, *manifest_text(part.covered), *manifest_text(part.whole),
        is_left ? "it" : "another size", part.text);
  return fmt::format(
      "{} compares no index with {}. {} no multiple of what a block covers ({}), the last block reads or writes "
      "outside the buffers, as far as `init` understands it. `run --sanitize` looks for that",
      part.kernel, *manifest_text(part.whole), is_left ? "As that is" : "Where that is", *manifest_text(part.covered));
}

// Says why the constraints are there.
void explain_whole_blocks(Draft& draft, const std::vector<const WholeBlocks*>& kept) {
  std::vector<std::string> unbounded;
  std::string kernel;
  for (const WholeBlocks* part : kept)
    if (part->floor.empty()) {
      unbounded.push_back(part->text + " == 0");
      if (kernel.empty()) kernel = part->kernel;
    } else
      draft.guesses.push_back(
          fmt::format("constraints: `{} == 0`, because {}. If the kernel asks for the bound, "
                      "round the grid up (ceildiv) and take that constraint out",
                      part->text, about_rest(*part, false)));
  if (unbounded.empty()) return;
  draft.guesses.push_back(fmt::format(
      "constraints: {} takes whole blocks only, for it compares no index with a size. So `{}` {} out other sizes and "
      "configurations. If the kernel asks for the bound, as in `if (i < n)`, take that constraint out",
      kernel, fmt::join(unbounded, "` and `"), unbounded.size() > 1 ? "leave" : "leaves"));
}

}  // namespace

void round_up_grid(const Work& work, Site& site) {
  for (std::size_t i = 0; i < 3; ++i) {
    const int axis = static_cast<int>(i);
    if (!rounds_down(work.draft, site, axis) || !site.block[i]) continue;
    const CExpression whole = site.grid[i]->parts[0], covered = site.grid[i]->parts[1];
    const auto text = manifest_text(whole), threads = manifest_text(*site.block[i]);
    // The axis has as many elements as whole blocks have, and a constraint makes these all elements.
    const Result cover = cover_of_axis(work.draft, site, axis).elements;
    if (cover && !site.axis[i] && manifest_text(resolved_in_kernel(work, site, *cover)) == manifest_text(covered))
      site.axis[i] = whole;
    if (threads != manifest_text(covered) || !is_bounded_by(work, site, axis, covered, whole)) continue;
    site.grid[i] = CExpression{Kind::call, "ceildiv", 0, {whole, covered}};
    site.axis[i] = whole;
    site.rounded += fmt::format("{}rounded up along {}: the host's division leaves out the last {} % {} elements",
                                site.rounded.empty() ? "" : "; ", axes[i], *text, *threads);
  }
}

std::vector<WholeBlocks> whole_blocks_of(const Work& work, const Site& site) {
  std::vector<WholeBlocks> parts;
  std::vector<CExpression> unbounded;  // what blocks cover along axes that nothing bounds
  for (int axis = 0; axis < 3; ++axis) {
    const auto& grid = site.grid[static_cast<std::size_t>(axis)];
    if (!grid || !is_parted(*grid)) continue;
    if (!is_unbounded(site, axis)) {
      if (rounds_down(work.draft, site, axis))
        add_whole_blocks(work.draft, site, grid->parts[0], grid->parts[1], site.host->where(), parts);
      continue;
    }
    unbounded.push_back(grid->parts[1]);
    add_whole_blocks(work.draft, site, grid->parts[0], grid->parts[1], "", parts);
  }
  // for (tile = 0; tile < n / TILE; ++tile) leaves out what follows the last whole tile.
  for (const auto& [variable, bounds] : site.body.bounds)
    for (const CExpression& bound : bounds) {
      const CExpression known = resolved_in_kernel(work, site, bound);
      if (known.is(Kind::binary, "/") && std::ranges::find(unbounded, known.parts[1]) != unbounded.end())
        add_whole_blocks(work.draft, site, known.parts[0], known.parts[1], "", parts);
    }
  return parts;
}

void note_inclusive_bounds(Draft& draft, const Site& site) {
  const auto is_parameter = [&](const CExpression& bound) {
    return bound.kind == Kind::name && std::ranges::find(site.kernel->parameters, bound.text,
                                                         &FunctionParameter::name) != site.kernel->parameters.end();
  };
  for (const char axis : std::string_view(axes)) {
    const std::set<std::string> names = dependents_of(std::string("blockIdx.") + axis, site.body);
    for (const auto& [variable, bound] : site.body.inclusive)
      if (names.contains(variable) && is_parameter(bound))
        draft.guesses.push_back(
            fmt::format("{0} uses the index {1} = {2} as well, because it asks {1} <= {2}: these are {2} + 1 elements "
                        "along {3}. If "
                        "the arrays have {2}, write {1} < {2}",
                        site.kernel->name, variable, bound.text, axis));
  }
}

void constrain_to_whole_blocks(Draft& draft, const std::vector<WholeBlocks>& parts) {
  round_sizes(draft, parts);
  std::vector<const WholeBlocks*> kept;
  for (const WholeBlocks& part : parts) {
    const auto remainder = value_by_default(draft, part.text, &SizeDraft::value);
    if (remainder != 0) {
      draft.guesses.push_back(about_rest(part, remainder.has_value()));
      continue;
    }
    if (value_by_default(draft, part.text, &SizeDraft::on_host) != 0)
      for (SizeDraft& size : draft.sizes)
        if (names_in(part.whole).contains(size.name)) size.on_host = size.value;
    kept.push_back(&part);
    draft.constraints.push_back(part.text + " == 0");
  }
  explain_whole_blocks(draft, kept);
}

}  // namespace warptune::tuner::draft
