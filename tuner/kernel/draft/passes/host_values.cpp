// Finds what names in the host's code stand for at a launch: sizes, parameters and numbers.
#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

bool divides_anything(const CExpression& expression) {
  return expression.kind == Kind::call || expression.is(Kind::binary, "/") || expression.is(Kind::binary, ">>") ||
         std::ranges::any_of(expression.parts, divides_anything);
}

}  // namespace

// Returns the value of a dim3's member, such as block.y after dim3 block(16, 8).
Result Drafter::dimension_in_host(const Site& site, const std::string& name) {
  const std::size_t dot = name.find('.');
  const auto known =
      dot == std::string::npos ? site.scope.dimensions.end() : site.scope.dimensions.find(name.substr(0, dot));
  const std::size_t axis = dot + 2 == name.size() ? std::string_view(axes).find(name[dot + 1]) : std::string::npos;
  if (known == site.scope.dimensions.end() || axis == std::string::npos) return std::nullopt;
  return axis < known->second.size() ? known->second[axis] : CExpression::integer(1);
}

// Returns what block.x became, which may be a parameter, where `block` is the launch's own.
Result Drafter::block_in_host(const Site& site, const std::string& name) {
  const std::size_t dot = name.find('.');
  const auto& configuration = site.host->configuration;
  if (dot == std::string::npos || configuration.size() < 2 || configuration[1].size() != 1 ||
      !configuration[1].front().is(name.substr(0, dot)))
    return std::nullopt;
  const std::size_t axis = std::string_view(axes).find(name.substr(dot + 1));
  return axis < 3 ? site.block[axis] : std::nullopt;
}

// Returns the name of the kernel's nx for d.nx, where the launch hands d.nx over for it.
Result Drafter::scalar_of_member(const Site& site, const std::string& name) {
  if (name.find('.') == std::string::npos) return std::nullopt;
  const auto arguments = split_at_commas(site.host->arguments);
  for (std::size_t i = 0; i < std::min(arguments.size(), site.kernel->parameters.size()); ++i) {
    const FunctionParameter& parameter = site.kernel->parameters[i];
    if (parameter.pointers == 0 && may_be_size(parameter.type) && text_of_tokens(arguments[i]) == name)
      return CExpression::name(parameter.name);
  }
  return std::nullopt;
}

Result Drafter::host_replacement(const Site& site, const std::string& name, int depth, bool folds) {
  if (const Result block = block_in_host(site, name)) return block;
  if (const auto block = block_variables_.find(name); block != block_variables_.end())
    return CExpression::name(block->second);
  if (const auto number = template_numbers_.find(name); number != template_numbers_.end())
    return CExpression::integer(number->second);
  if (draft_.find_parameter(name) || draft_.find_size(name) || depth == 0 || ++replacements_ > 100'000)
    return std::nullopt;
  const auto inside = [&](const CExpression& value) {
    const CExpression result = replaced(
        value, [&](const std::string& other) { return host_replacement(site, other, depth - 1, folds); }, 1);
    return folds ? simplified(result) : result;
  };
  if (fixed_.contains(name))
    if (const NamedInteger* integer = facts_.find_integer(name)) return CExpression::integer(integer->value);
  if (const auto derived = facts_.derived.find(name); derived != facts_.derived.end()) return inside(derived->second);
  if (const NamedInteger* integer = facts_.find_integer(name)) {
    known_values_.emplace(name, integer->value);
    return std::nullopt;
  }
  if (name.starts_with("sizeof(") && name.ends_with(")"))
    if (const std::int64_t bytes = bytes_of_type(facts_.without_alias(name.substr(7, name.size() - 8))))
      return CExpression::integer(bytes);
  if (const Result dimension = dimension_in_host(site, name)) return inside(*dimension);
  if (!site.scope.values.contains(name))
    if (const Result scalar = scalar_of_member(site, name)) return scalar;
  const auto value = site.scope.values.find(name);
  if (value == site.scope.values.end()) return std::nullopt;
  const CExpression inner = inside(value->second), known = simplified(inner);
  if (!known.is_integer()) return manifest_text(known) ? Result(inner) : std::nullopt;
  if (!folds && divides_anything(inner) && !contains_word(site.host->arguments, name)) return inner;
  if (known.value > 0) known_values_.emplace(name, known.value);
  return known.value > 0 ? std::nullopt : Result(known);
}

CExpression Drafter::resolved(const Site& site, const CExpression& expression) {
  return simplified(replaced(
      expression, [&](const std::string& name) { return host_replacement(site, name, 12, true); }, 1));
}

CExpression Drafter::opened(const Site& site, const CExpression& expression) {
  return replaced(
      expression, [&](const std::string& name) { return host_replacement(site, name, 12, false); }, 1);
}

// Replaces the host's variables by their values. `known` comes first, and a name that it returns for itself stays.
CExpression Drafter::opened_in_host(const Site& site, const CExpression& expression, const Replacement& known) const {
  const Replacement replacement = [&](const std::string& name) -> Result {
    if (++replacements_ > 100'000) return std::nullopt;
    if (const Result other = known(name)) return other;
    if (const Result dimension = dimension_in_host(site, name)) return dimension;
    const auto value = site.scope.values.find(name);
    return value == site.scope.values.end() ? Result() : value->second;
  };
  return replaced(expression, replacement, 12);
}

}  // namespace warptune::tuner::draft
