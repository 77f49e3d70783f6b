// Finds flat blocks whose threads are rows of something: threadIdx.x % WIDTH and threadIdx.x / WIDTH.
#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

}  // namespace

// Returns the threads of a flat block that has rows of WIDTH threads: threadIdx.x % WIDTH and threadIdx.x / WIDTH. The
// block has as many rows as blockIdx.y * ROWS + threadIdx.x / WIDTH says.
Result Drafter::threads_in_rows(const Site& site, int axis) const {
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
        return resolved_in_kernel(site, CExpression::binary("*", width, *rows));
    }
  return std::nullopt;
}

// Takes a product such as WIDTH * WIDTH as the block's threads. A parameter in it is then a tile and no number of
// threads, whatever it is called.
void Drafter::take_rows_of_threads(Site& site, int axis, const CExpression& threads) {
  site.block[static_cast<std::size_t>(axis)] = threads;
  for (ParameterDraft& parameter : draft_.parameters) {
    if (parameter.use != Use::block || !names_in(threads).contains(parameter.name)) continue;
    parameter.use = Use::tile;
    parameter.values = domain_of(Use::tile, std::min<std::int64_t>(parameter.fallback, 32));
    parameter.about = about(Use::tile);
  }
}

}  // namespace warptune::tuner::draft
