// Expressions of a manifest evaluated for thousands of configurations, without copying a value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/expression/expression.h"
#include "search/space/search_space.h"
#include "search/value.h"

namespace warptune::tuner {

// The names that expressions use: constants, or parameters of a space. Constants come before parameters, as in a
// launch. Refers to the space, which must outlive it. Immutable after `note`; then thread-safe.
class ParameterScope {
 public:
  explicit ParameterScope(const search::SearchSpace& space) : space_(&space) {}

  // To be called for each expression before it is evaluated; a name that is neither a constant nor a parameter is left
  // to the evaluation, which fails.
  void note(const search::Expression& expression, const search::NamedValues& constants);

  // Throw search::ExpressionError and, for a text, std::invalid_argument.
  search::Value value(const search::Expression& expression, const search::Configuration& configuration) const;
  double number(const search::Expression& expression, const search::Configuration& configuration) const;

 private:
  struct Name {
    std::string name;
    search::Value constant;
    std::size_t parameter;
  };
  const search::Value* find(std::string_view name, const search::Configuration& configuration) const;

  const search::SearchSpace* space_;
  std::vector<Name> names_;
};

}  // namespace warptune::tuner
