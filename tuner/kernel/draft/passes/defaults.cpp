// Chooses the default configuration, and widens the values of blocks.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/passes.h"

namespace warptune::tuner::draft {

namespace {

// Returns the constraints, and what every device asks of a block.
std::vector<std::string> conditions_to_satisfy(const Draft& draft) {
  std::vector<std::string> all = draft.constraints;
  for (const LaunchDraft& launch : draft.launches)
    if (std::ranges::find(launch.block, blank) == launch.block.end())
      all.push_back(fmt::format("({}) <= 1024", fmt::join(launch.block, ") * (")));
  return all;
}

// Returns the guess in the condition with the largest default, among those that have a smaller value. Returns null
// where the source gives all of them.
ParameterDraft* largest_guess(const std::vector<Site>& sites, Draft& draft, const std::string& condition) {
  const bool launched = std::ranges::any_of(sites, [](const Site& site) { return site.host != nullptr; });
  const auto tokens = source_tokens(condition);
  ParameterDraft* largest = nullptr;
  for (ParameterDraft& parameter : draft.parameters) {
    const bool guess = parameter.comment.starts_with("a guess") ||
                       (!launched && parameter.comment.starts_with("the template parameter"));
    if (guess && contains_word(tokens, parameter.name) && parameter.values.front() < parameter.fallback &&
        (!largest || parameter.fallback > largest->fallback))
      largest = &parameter;
  }
  return largest;
}

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

void choose_defaults(const std::vector<Site>& sites, Draft& draft) {
  const std::vector<std::string> all = conditions_to_satisfy(draft);
  for (int round = 0; round < 64; ++round) {
    const auto broken =
        std::ranges::find_if(all, [&](const std::string& condition) { return !holds_by_default(draft, condition); });
    if (broken == all.end()) return;
    ParameterDraft* parameter = largest_guess(sites, draft, *broken);
    if (!parameter)
      return draft.blanks.push_back(fmt::format(
          "[parameters]: the default configuration does not satisfy `{}`. Choose defaults that do", *broken));
    std::int64_t next = parameter->values.front();
    for (const std::int64_t value : parameter->values)
      if (value < parameter->fallback) next = std::max(next, value);
    parameter->fallback = next;
  }
}

void widen_blocks(const std::vector<Site>& sites, Draft& draft) {
  const auto block_parameter = [&](const std::optional<CExpression>& extent) -> ParameterDraft* {
    if (!extent || extent->kind != CExpression::Kind::name) return nullptr;
    const auto found = std::ranges::find(draft.parameters, extent->text, &ParameterDraft::name);
    return found == draft.parameters.end() || found->use != Use::block ? nullptr : &*found;
  };
  for (const Site& site : sites) {
    ParameterDraft *const x = block_parameter(site.block[0]), *const y = block_parameter(site.block[1]);
    if (!x || !y || x == y || site.block[2]) continue;
    x->values = powers_of_two(longest_row, x->fallback);
    y->values = powers_of_two(most_rows, y->fallback);
    const std::int64_t least = std::min(fewest_threads, x->fallback * y->fallback);
    add_constraint(draft, fmt::format("{} <= {} * {} <= {}", least, x->name, y->name, most_threads_of_block));
  }
}

}  // namespace warptune::tuner::draft
