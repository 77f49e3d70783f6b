// Evaluates expressions of a manifest for thousands of configurations, without copying a value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/expression/expression.h"
#include "search/space/search_space.h"
#include "search/value.h"

namespace warptune::tuner {

// Resolves the names that expressions use, which are constants or parameters of a space. Constants come before
// parameters, as in a launch. It refers to the space, which must outlive it. It is immutable after `note`, and then
// thread-safe.
class ParameterScope {
 public:
  explicit ParameterScope(const search::SearchSpace& space) : space_(&space) {}

  // Must be called for each expression before it is evaluated. A name that is neither a constant nor a parameter is
  // left to the evaluation, which fails.
  void note(const search::Expression& expression, const search::NamedValues& constants);

  // Both evaluate an expression for a configuration. They throw search::ExpressionError and, for a text,
  // std::invalid_argument.
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
