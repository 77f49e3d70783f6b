// Finds what kernels' integers stand for: a size, a parameter of the manifest, or a number.
#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

// Returns what the launch passes for a scalar of 8 bits: the host's number, or one that a parameter gives, else a
// guess.
CExpression Drafter::value_of_byte(Site& site, const std::string& name, const CExpression& known) {
  if (known.is(CExpression::Kind::name, "true") || known.is(CExpression::Kind::name, "false"))
    return CExpression::integer(known.text == "true" ? 1 : 0);
  if (const auto number = known_values_.find(known.text);
      known.kind == CExpression::Kind::name && number != known_values_.end())
    return CExpression::integer(number->second);
  const auto is_parameter = [&](const std::string& part) { return draft_.find_parameter(part) != nullptr; };
  if (std::ranges::all_of(names_in(known), is_parameter)) return known;
  site.guessed.insert(name);
  return CExpression::integer(1);
}

void Drafter::take_scalars(Site& site) {
  const auto arguments = site.host ? split_at_commas(site.host->arguments) : std::vector<TokenSpan>();
  for (std::size_t i = 0; i < site.kernel->parameters.size(); ++i) {
    const FunctionParameter& parameter = site.kernel->parameters[i];
    if (parameter.pointers > 0 || !is_integer_type(parameter.type)) continue;
    CExpression value = CExpression::name(parameter.name);
    if (i < arguments.size())
      if (const auto argument = parse_c(arguments[i]))
        if (const CExpression known = resolved(site, *argument); manifest_text(known)) value = known;
    if (!may_be_size(parameter.type)) value = value_of_byte(site, parameter.name, value);
    site.given.insert_or_assign(parameter.name, value);
  }
}

}  // namespace warptune::tuner::draft
