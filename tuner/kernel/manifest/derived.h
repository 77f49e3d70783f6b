// Replaces the names of a manifest's [derived] table by the expressions that they stand for.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::tuner {

// Returns `text` with each name that `find` knows replaced by what `find` gives. Quoted strings, calls and numbers stay
// as they are. The result ends early, somewhere beyond DerivedExpressions::most_length.
std::string replace_names(std::string_view text, const std::function<const std::string*(std::string_view)>& find);

// Each name stands for its expression's text, in parentheses. Names are replaced in the text, because constraints and
// geometry are put together as text later on. What is left then uses nothing but sizes, parameters and limits, so that
// no later step needs to know derived names.
class DerivedExpressions {
 public:
  // Adds a name for `text`, which may use the names added before it. That order rules out circles. Returns false and
  // adds nothing if the expanded text would be longer than `most_length`: each name may double the text of the one
  // before.
  static constexpr std::size_t most_length = 64 << 10;
  bool add(std::string name, std::string_view text);

  // Returns `text` with every derived name replaced. A result longer than most_length is cut off: nobody could read
  // such an expression.
  std::string expand(std::string_view text) const;

 private:
  const std::string* find(std::string_view name) const;

  std::vector<std::pair<std::string, std::string>> texts_;
};

}  // namespace warptune::tuner
