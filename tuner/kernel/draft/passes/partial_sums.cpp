// Handles outputs with one element per block that the host adds up. How many elements there are and what each holds
// depends on the configuration, but their sum does not.
#include <fmt/format.h>

#include <algorithm>

#include "search/expression/expression.h"
#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

// Returns the value of the expression with every remaining name at `each`, or 0 if it cannot be evaluated.
std::int64_t value_with(const CExpression& expression, std::int64_t each) {
  const auto text = manifest_text(expression);
  if (!text) return 0;
  search::NamedValues values;
  for (const std::string& name : names_in(expression)) values.emplace_back(name, each);
  try {
    return search::to_integer(search::Expression::parse(*text).evaluate(values));
  } catch (const search::ExpressionError&) {
    return 0;
  }
}

// Returns whether the host adds something up behind the launch: total += ….
bool adds_up(const HostLaunch& launch) {
  const TokenSpan body = launch.function->body;
  for (std::size_t at = launch.place; at + 1 < body.size(); ++at)
    if (body[at].is("+") && body[at + 1].is("=")) return true;
  return false;
}

}  // namespace

// Returns the grid of the configuration that launches the most blocks, in sizes.
std::optional<std::string> Drafter::most_blocks(const Site& site) {
  constexpr std::int64_t large_size = 1 << 20;
  CExpression blocks = *site.grid[0];
  for (const std::string& name : names_in(blocks)) {
    const ParameterDraft* parameter = draft_.find_parameter(name);
    if (!parameter || parameter->values.empty()) continue;
    const auto with = [&](std::int64_t value) {
      return simplified(replaced(
          blocks,
          [&](const std::string& any) {
            return any == name ? std::optional(CExpression::integer(value)) : std::nullopt;
          },
          1));
    };
    const CExpression first = with(parameter->values.front()), last = with(parameter->values.back());
    blocks = value_with(first, large_size) >= value_with(last, large_size) ? first : last;
  }
  if (!in_sizes(blocks) || !manifest_text(blocks)) return std::nullopt;
  return text_with_sizes(blocks);
}

bool Drafter::take_partial_sums(const Site& site, const FunctionParameter& parameter, const std::string& host_name,
                                ArgumentDraft& argument) {
  const bool is_row = site.grid[0] && (!site.grid[1] || *site.grid[1] == CExpression::integer(1));
  if (argument.role != "output" || !site.host || !is_row || !is_of_blocks(site, parameter.name)) return false;
  if (!site.scope.downloaded.contains(host_name) || !adds_up(*site.host)) return false;
  const auto blocks = most_blocks(site);
  if (!blocks) return false;
  argument.shape = *blocks;
  argument.role = "inout";
  argument.fill = "{ constant = 0 }";
  argument.compares_sum = true;
  argument.comments.emplace_back("one element per block, with room for the most blocks; the host adds them up");
  draft_.guesses.push_back(fmt::format(
      "arguments.{}: it holds one element per block, which the host adds up; so their sum is compared", argument.name));
  return true;
}

}  // namespace warptune::tuner::draft
