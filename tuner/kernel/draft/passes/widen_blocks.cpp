// Widens blocks of two axes to rows of up to 256 threads, which usually win where an array has rows. A constraint on
// the product keeps out blocks of few threads.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

constexpr std::int64_t longest_row = 256, most_rows = 32, fewest_threads = 64;

// Returns 1, 2, 4 … up to `most` or to the default, and the default itself.
std::vector<std::int64_t> powers_of_two(std::int64_t most, std::int64_t fallback) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = 1; value <= std::max(most, fallback); value *= 2) values.push_back(value);
  if (std::ranges::find(values, fallback) == values.end()) values.push_back(fallback);
  std::ranges::sort(values);
  return values;
}

}  // namespace

void Drafter::widen_blocks() {
  const auto block_parameter = [&](const std::optional<CExpression>& extent) -> ParameterDraft* {
    if (!extent || extent->kind != CExpression::Kind::name) return nullptr;
    const auto found = std::ranges::find(draft_.parameters, extent->text, &ParameterDraft::name);
    return found == draft_.parameters.end() || found->use != Use::block ? nullptr : &*found;
  };
  for (const Site& site : sites_) {
    ParameterDraft *const x = block_parameter(site.block[0]), *const y = block_parameter(site.block[1]);
    if (!x || !y || x == y || site.block[2]) continue;
    x->values = powers_of_two(longest_row, x->fallback);
    y->values = powers_of_two(most_rows, y->fallback);
    const std::int64_t least = std::min(fewest_threads, x->fallback * y->fallback);
    add_constraint(fmt::format("{} <= {} * {} <= {}", least, x->name, y->name, most_threads_of_block));
  }
}

}  // namespace warptune::tuner::draft
