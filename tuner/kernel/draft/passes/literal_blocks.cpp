// Handles kernels whose block is written as numbers, as in tile[16][16] and blockIdx.x * 16 + threadIdx.x. It finds
// what the block is, and says which numbers a person makes a macro, so that the block can be tuned.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

constexpr std::int64_t most_threads = 1024;  // of a block, on every device

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

}  // namespace

// Returns the block that numbers say. blockIdx.x * 64 + threadIdx.x * 4 has 16 threads. Where no index says it, an
// array such as tile[16][16] does.
Result Drafter::literal_block(const Site& site, int axis) {
  const std::string threads = std::string("threadIdx.") + axes[axis];
  for (const auto& [name, definition] : site.body.definitions) {
    Result covered = block_index_of(definition).covered;
    // A header's constant is a number, too. A constant that says how many elements a thread takes is no part of the
    // block.
    if (covered) covered = resolved_in_kernel(site, without_per_thread(site, *covered));
    if (!covered || !covered->is_integer()) continue;
    for (const CExpression& term : terms_of(definition))
      if (const std::int64_t each = distance_of(without_per_thread(site, term), threads);
          each > 0 && covered->value % each == 0)
        if (const std::int64_t block = covered->value / each; block > 1 && block <= most_threads)
          return CExpression::integer(block);
  }
  const std::size_t rank = site.body.uses("threadIdx.z") ? 3 : site.body.uses("threadIdx.y") ? 2 : 1;
  for (const MemoryArray& array : site.kernel->shared) {
    const CExpression whole = simplified(product_of(array.extents));
    if (array.extents.size() != rank || !whole.is_integer() || whole.value > most_threads) continue;
    const CExpression extent = simplified(array.extents[rank - 1 - static_cast<std::size_t>(axis)]);
    draft_.guesses.push_back(fmt::format("launches: {} threads along {}, because the shared array {} has as many",
                                         extent.value, axes[axis], array.name));
    return extent;
  }
  return std::nullopt;
}

// Returns the parameter that a number in the host's block stands for: TILE for dim3(32, 32), if the kernel has
// blockIdx.x * TILE + threadIdx.x, and TILE is 32.
const ParameterDraft* Drafter::parameter_of_literal(const Site& site, int axis, std::int64_t value) {
  const std::string threads = std::string("threadIdx.") + axes[axis];
  const auto is_thread = [&](const CExpression& term) {
    const auto definition = site.body.definitions.find(term.text);
    return term.is(Kind::name, threads) || (term.kind == Kind::name && definition != site.body.definitions.end() &&
                                            definition->second.is(Kind::name, threads));
  };
  for (const auto& [name, definition] : site.body.definitions) {
    const Result covered = block_index_of(definition).covered;
    if (!covered || std::ranges::none_of(terms_of(definition), is_thread)) continue;
    const CExpression known = resolved_in_kernel(site, *covered);
    const ParameterDraft* parameter = known.kind == Kind::name ? draft_.find_parameter(known.text) : nullptr;
    if (parameter && parameter->fallback == value) return parameter;
  }
  return nullptr;
}

// Notes a parameter that has the block's number of threads as its default and that the kernel uses, where no index says
// whether it is the block.
void Drafter::note_literal_blocks(const Site& site) {
  if (!site.host) return;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!site.block[i] || !site.block[i]->is_integer() || site.block[i]->value < 2) continue;
    for (const ParameterDraft& parameter : draft_.parameters)
      if (parameter.fallback == site.block[i]->value && contains_word(site.kernel->all, parameter.name) &&
          (parameter.use == Use::block || parameter.use == Use::tile))
        draft_.guesses.push_back(fmt::format(
            "launches: {} launches {} with {} threads along {}, which may be {}: write the name there if it "
            "is. Else other values of it go with the same block",
            site.host->where(), site.kernel->name, parameter.fallback, axes[i], parameter.name));
  }
}

// Returns advice on which numbers to replace by which macro.
std::string Drafter::advice_on_literals(const Site& site) const {
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
    const std::string name = fresh_name(flat     ? "BLOCK_SIZE"
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

void Drafter::require_parameters() {
  if (!draft_.parameters.empty()) return;
  if (!constants_.empty())
    return leave_blank(
        fmt::format("[parameters]: nothing tunable was found but constants that keep their values. Let them be chosen: "
                    "write {}. Then "
                    "`warptune init --force` again",
                    fmt::join(constants_, "; ")));
  for (const Site& site : sites_)
    if (const std::string advice = advice_on_literals(site); !advice.empty())
      return leave_blank(fmt::format(
          "[parameters]: nothing tunable was found, because {} has its block as numbers. Where they mean the block, "
          "make them macros in the source: {}. Then `warptune init --force` again",
          site.kernel->name, advice));
  leave_blank(
      "[parameters]: nothing tunable was found. Make a number of the kernel a macro, as #ifndef TILE / #define "
      "TILE 16 / #endif, and list its values here");
}

}  // namespace warptune::tuner::draft
