// The [derived] table of a manifest: named expressions that others use by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::tuner {

// Each name stands for its expression's text, in parentheses. Text, because constraints and geometry are put together
// as text later on, and because what is left then knows nothing but sizes, parameters and limits: no later step needs
// to hear of derived names.
class DerivedExpressions {
 public:
  // `text` may use the names added before it, which is what rules out circles.
  void add(std::string name, std::string_view text);

  // `text` with every derived name replaced. Quoted strings, calls and numbers stay as they are.
  std::string expand(std::string_view text) const;

 private:
  const std::string* find(std::string_view name) const;

  std::vector<std::pair<std::string, std::string>> texts_;
};

}  // namespace warptune::tuner
