// Finds launches that pass a buffer from within: stencil<<<…>>>(d_in + RADIUS, …). A manifest passes buffers from their
// first element.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

// Returns what the launch passes, such as "d_in + RADIUS". Returns an empty text where it passes the buffer itself, or
// what is no known buffer.
std::string Drafter::passed_from_within(const Site& site, const FunctionParameter& parameter) const {
  if (!site.host) return "";
  const auto given = split_at_commas(site.host->arguments);
  for (std::size_t i = 0; i < std::min(given.size(), site.kernel->parameters.size()); ++i) {
    if (site.kernel->parameters[i].name != parameter.name || given[i].size() < 3) continue;
    const bool address = given[i][0].is("&") && given[i][2].is("[");
    const bool sum = given[i][1].is("+") || given[i][1].is("-");
    const std::string& buffer = given[i][address ? 1 : 0].text;
    if ((address || sum) && site.scope.allocated_bytes.contains(buffer)) return text_of_tokens(given[i]);
  }
  return "";
}

bool Drafter::leave_if_from_within(const Site& site, const FunctionParameter& parameter, ArgumentDraft& argument) {
  const std::string passed = passed_from_within(site, parameter);
  if (passed.empty()) return false;
  argument.shape = blank;
  leave_blank(
      fmt::format("arguments.{}: {} passes {}, and a manifest passes buffers from their first element. Let {} add "
                  "the offset to its index, and write here how many elements the whole buffer has",
                  argument.name, site.host->where(), passed, site.kernel->name));
  return true;
}

}  // namespace warptune::tuner::draft
