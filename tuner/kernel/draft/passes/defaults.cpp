// Chooses a default configuration that satisfies the manifest's own constraints, and that a device can launch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "search/expression/expression.h"
#include "tuner/kernel/draft/passes/drafter.h"
#include "tuner/kernel/draft/passes/reserved_names.h"

namespace warptune::tuner::draft {

// Returns the constraints, and what every device asks of a block.
std::vector<std::string> Drafter::conditions() const {
  std::vector<std::string> all = draft_.constraints;
  for (const LaunchDraft& launch : draft_.launches)
    if (std::ranges::find(launch.block, blank) == launch.block.end())
      all.push_back(fmt::format("({}) <= 1024", fmt::join(launch.block, ") * (")));
  return all;
}

// Returns whether the condition holds at the default configuration, or cannot be evaluated.
bool Drafter::holds_by_default(const std::string& condition) const {
  search::NamedValues values;
  for (const ParameterDraft& parameter : draft_.parameters)
    values.emplace_back(evaluable(draft_, parameter.name), parameter.fallback);
  for (const SizeDraft& size : draft_.sizes) values.emplace_back(evaluable(draft_, size.name), size.value);
  try {
    return search::truth(search::Expression::parse(evaluable(draft_, condition)).evaluate(values));
  } catch (const search::ExpressionError&) {
    return true;
  }
}

// Returns the guess in the condition with the largest default, among those that have a smaller value. Returns null
// where the source gives all of them.
ParameterDraft* Drafter::largest_guess(const std::string& condition) {
  const bool launched = std::ranges::any_of(sites_, [](const Site& site) { return site.host != nullptr; });
  const auto tokens = source_tokens(condition);
  ParameterDraft* largest = nullptr;
  for (ParameterDraft& parameter : draft_.parameters) {
    const bool guess = parameter.comment.starts_with("a guess") ||
                       (!launched && parameter.comment.starts_with("the template parameter"));
    if (guess && contains_word(tokens, parameter.name) && parameter.values.front() < parameter.fallback &&
        (!largest || parameter.fallback > largest->fallback))
      largest = &parameter;
  }
  return largest;
}

void Drafter::settle_defaults() {
  const std::vector<std::string> all = conditions();
  for (int round = 0; round < 64; ++round) {
    const auto broken =
        std::ranges::find_if(all, [&](const std::string& condition) { return !holds_by_default(condition); });
    if (broken == all.end()) return;
    ParameterDraft* parameter = largest_guess(*broken);
    if (!parameter)
      return leave_blank(fmt::format(
          "[parameters]: the default configuration does not satisfy `{}`. Choose defaults that do", *broken));
    std::int64_t next = parameter->values.front();
    for (const std::int64_t value : parameter->values)
      if (value < parameter->fallback) next = std::max(next, value);
    parameter->fallback = next;
  }
}

}  // namespace warptune::tuner::draft
