// Finds what a block is where no macro says it: rows of threads, as in threadIdx.x % WIDTH and threadIdx.x / WIDTH,
// numbers, as in tile[16][16] and blockIdx.x * 16 + threadIdx.x, or any number of threads. It says which numbers a
// person makes a macro, so that the block can be tuned.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/geometry.h"
#include "tuner/kernel/draft/passes/integers.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

// Returns the only block size that no kernel uses, as #define BLOCK_SIZE 256 for a launch in another file. Returns null
// if there is none, or more than one.
const NamedInteger* block_without_launch(const SourceFacts& facts, const std::vector<Site>& sites) {
  const NamedInteger* found = nullptr;
  for (const NamedInteger& integer : facts.integers) {
    if (use_of(integer.name, integer.value) != Use::block || used_on_device(facts, sites, integer.name) ||
        !integer.can_be_chosen())
      continue;
    if (found) return nullptr;
    found = &integer;
  }
  return found;
}

// Returns how many elements lie from one thread to the next by a term such as threadIdx.x or threadIdx.x * 4. Returns 0
// if the term is anything else.
std::int64_t distance_of(const CExpression& term, const std::string& threads) {
  std::int64_t distance = 1;
  bool found = false;
  for (const CExpression& factor : factors_of(term)) {
    found |= factor.is(Kind::name, threads);
    if (factor.is_integer())
      distance *= factor.value;
    else if (!factor.is(Kind::name, threads))
      return 0;
  }
  return found ? distance : 0;
}

// Returns the lines that have the number, each once, in their order.
std::vector<int> lines_with(TokenSpan tokens, std::int64_t number) {
  std::vector<int> lines;
  for (const SourceToken& token : tokens) {
    if (token.kind != SourceToken::Kind::number) continue;
    const auto value = parse_c(TokenSpan(&token, 1));
    if (value && value->is_integer() && value->value == number && (lines.empty() || lines.back() != token.line))
      lines.push_back(token.line);
  }
  return lines;
}

std::string in_lines(const std::vector<int>& lines, const std::string& header) {
  return fmt::format("in line{} {}{}{}", lines.size() > 1 ? "s" : "", fmt::join(lines, ", "),
                     header.empty() ? "" : " of ", header);
}

// Returns advice on which numbers to replace by which macro.
std::string advice_on_literals(const SourceFacts& facts, const Meanings& meanings, const Site& site) {
  std::string advice;
  std::set<std::int64_t> seen;
  const bool flat = !site.block[1] && !site.block[2];
  const auto& block = site.block;
  const bool square = !block[2] && block[0] && block[1] && *block[0] == *block[1];
  for (std::size_t i = 0; i < 3; ++i) {
    if (!block[i] || !block[i]->is_integer() || block[i]->value < 2 || !seen.insert(block[i]->value).second) continue;
    const std::int64_t number = block[i]->value;
    const std::vector<int> lines = lines_with(site.kernel->all, number);
    if (lines.empty()) continue;
    const std::string name = fresh_name(facts, meanings,
                                        flat     ? "BLOCK_SIZE"
                                        : square ? "TILE"
                                                 : std::string("BLOCK_") + static_cast<char>(axes[i] - 'x' + 'X'));
    advice += fmt::format("{}`#define {} {}` above it, and {} for {} {}", advice.empty() ? "" : "; ", name, number,
                          name, number, in_lines(lines, site.kernel->header));
    for (const std::int64_t off : {-1, 1})
      if (const auto beside = lines_with(site.kernel->all, number + off); !beside.empty())
        advice += fmt::format(", {} {} 1 for {} {}", name, off < 0 ? '-' : '+', number + off,
                              in_lines(beside, site.kernel->header));
  }
  return advice;
}

}  // namespace

CExpression new_block_parameter(Work& work, const Site& site, int axis, std::int64_t value) {
  const bool flat = !site.body.uses("threadIdx.y") && !site.body.uses("threadIdx.z");
  if (const NamedInteger* meant = flat && !site.host ? block_without_launch(work.facts, work.sites) : nullptr)
    return CExpression::name(add_parameter(work.draft, meant->name, Use::block, meant->value,
                                           fmt::format("{} in {}", meant->value, meant->place()))
                                 .name);
  std::string name = flat ? "BLOCK_SIZE" : std::string("BLOCK_") + static_cast<char>(axes[axis] - 'x' + 'X');
  if (work.facts.outline.find_macro(name) || contains_word(work.facts.outline.code, name)) name = "LAUNCH_" + name;
  const std::int64_t usual = flat ? 256 : 16;
  ParameterDraft& added = add_parameter(work.draft, name, Use::block, value > 0 ? value : usual,
                                        "the kernel takes blocks of any size: it asks blockDim");
  added.about = flat ? "threads per block" : fmt::format("threads per block along {}", axes[axis]);
  if (site.kernel->bounds)
    if (const CExpression most = resolved_in_kernel(work, site, *site.kernel->bounds); flat && most.is_integer())
      std::erase_if(added.values, [&](std::int64_t any) { return any > most.value && any != added.fallback; });
  return CExpression::name(name);
}

Result literal_block(Work& work, const Site& site, int axis) {
  const std::string threads = std::string("threadIdx.") + axes[axis];
  for (const auto& [name, definition] : site.body.definitions) {
    Result covered = block_index_of(definition).covered;
    // A header's constant is a number, too. A constant that says how many elements a thread takes is no part of the
    // block.
    if (covered) covered = resolved_in_kernel(work, site, without_per_thread(work.facts, site, *covered));
    if (!covered || !covered->is_integer()) continue;
    for (const CExpression& term : terms_of(definition))
      if (const std::int64_t each = distance_of(without_per_thread(work.facts, site, term), threads);
          each > 0 && covered->value % each == 0)
        if (const std::int64_t block = covered->value / each; block > 1 && block <= most_threads_of_block)
          return CExpression::integer(block);
  }
  const std::size_t rank = site.body.uses("threadIdx.z") ? 3 : site.body.uses("threadIdx.y") ? 2 : 1;
  for (const MemoryArray& array : site.kernel->shared) {
    const CExpression whole = simplified(product_of(array.extents));
    if (array.extents.size() != rank || !whole.is_integer() || whole.value > most_threads_of_block) continue;
    const CExpression extent = simplified(array.extents[rank - 1 - static_cast<std::size_t>(axis)]);
    work.draft.guesses.push_back(fmt::format("launches: {} threads along {}, because the shared array {} has as many",
                                             extent.value, axes[axis], array.name));
    return extent;
  }
  return std::nullopt;
}

const ParameterDraft* parameter_of_literal(const Work& work, const Site& site, int axis, std::int64_t value) {
  const std::string threads = std::string("threadIdx.") + axes[axis];
  const auto is_thread = [&](const CExpression& term) {
    const auto definition = site.body.definitions.find(term.text);
    return term.is(Kind::name, threads) || (term.kind == Kind::name && definition != site.body.definitions.end() &&
                                            definition->second.is(Kind::name, threads));
  };
  for (const auto& [name, definition] : site.body.definitions) {
    const Result covered = block_index_of(definition).covered;
    if (!covered || std::ranges::none_of(terms_of(definition), is_thread)) continue;
    const CExpression known = resolved_in_kernel(work, site, *covered);
    const ParameterDraft* parameter = known.kind == Kind::name ? work.draft.find_parameter(known.text) : nullptr;
    if (parameter && parameter->fallback == value) return parameter;
  }
  return nullptr;
}

void note_literal_blocks(Draft& draft, const Site& site) {
  if (!site.host) return;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!site.block[i] || !site.block[i]->is_integer() || site.block[i]->value < 2) continue;
    for (const ParameterDraft& parameter : draft.parameters)
      if (parameter.fallback == site.block[i]->value && contains_word(site.kernel->all, parameter.name) &&
          (parameter.use == Use::block || parameter.use == Use::tile))
        draft.guesses.push_back(fmt::format(
            "launches: {} launches {} with {} threads along {}, which may be {}: write the name there if it "
            "is. Else other values of it go with the same block",
            site.host->where(), site.kernel->name, parameter.fallback, axes[i], parameter.name));
  }
}

void require_parameters(Work& work, const std::vector<std::string>& constants) {
  if (!work.draft.parameters.empty()) return;
  if (!constants.empty())
    return work.draft.blanks.push_back(
        fmt::format("[parameters]: nothing tunable was found but constants that keep their values. Let them be chosen: "
                    "write {}. Then "
                    "`warptune init --force` again",
                    fmt::join(constants, "; ")));
  for (const Site& site : work.sites)
    if (const std::string advice = advice_on_literals(work.facts, work.meanings, site); !advice.empty())
      return work.draft.blanks.push_back(fmt::format(
          "[parameters]: nothing tunable was found, because {} has its block as numbers. Where they mean the block, "
          "make them macros in the source: {}. Then `warptune init --force` again",
          site.kernel->name, advice));
  work.draft.blanks.push_back(
      "[parameters]: nothing tunable was found. Make a number of the kernel a macro, as #ifndef TILE / #define "
      "TILE 16 / #endif, and list its values here");
}

void note_undecided_block(Draft& draft, const Site& site, const CExpression& block, int axis) {
  const std::vector<CExpression> factors = factors_of(block);
  if (factors.size() < 2) return;
  for (const CExpression& factor : factors) {
    const bool in_loop = factor.kind == Kind::name && std::ranges::any_of(site.body.bounds, [&](const auto& bounds) {
                           return std::ranges::any_of(bounds.second, [&](const CExpression& bound) {
                             return names_in(bound).contains(factor.text);
                           });
                         });
    if (!in_loop) continue;
    draft.guesses.push_back(
        fmt::format("launches: the block of {0} has {1} threads along {2}, as many as the elements that it covers. If "
                    "each thread takes {3} of them in a loop, take {3} out of the block",
                    site.kernel->name, manifest_text(block).value_or("?"), axes[axis], factor.text));
    return;
  }
}

Result threads_in_rows(const Work& work, const Site& site, int axis) {
  const CExpression threads = CExpression::name(std::string("threadIdx.") + axes[axis]);
  std::vector<CExpression> widths;
  for (const auto& [name, definition] : site.body.definitions)
    if (definition.is(Kind::binary, "%") && definition.parts[0] == threads) widths.push_back(definition.parts[1]);
  const auto is_row = [&](const CExpression& term, const CExpression& width) {
    const auto definition = site.body.definitions.find(term.text);
    const bool named = term.kind == Kind::name && definition != site.body.definitions.end();
    return (named ? definition->second : term) == CExpression::binary("/", threads, width);
  };
  for (const CExpression& width : widths)
    for (const auto& [name, definition] : site.body.definitions) {
      const Result rows = block_index_of(definition).covered;
      if (rows && std::ranges::any_of(terms_of(definition), [&](const auto& term) { return is_row(term, width); }))
        return resolved_in_kernel(work, site, CExpression::binary("*", width, *rows));
    }
  return std::nullopt;
}

void use_rows_as_block(Draft& draft, Site& site, int axis, const CExpression& threads) {
  site.block[static_cast<std::size_t>(axis)] = threads;
  for (ParameterDraft& parameter : draft.parameters) {
    if (parameter.use != Use::block || !names_in(threads).contains(parameter.name)) continue;
    parameter.use = Use::tile;
    parameter.values = domain_of(Use::tile, std::min<std::int64_t>(parameter.fallback, 32));
    parameter.about = about(Use::tile);
  }
}

}  // namespace warptune::tuner::draft
