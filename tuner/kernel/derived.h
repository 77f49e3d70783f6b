// The [derived] table of a manifest: named expressions that others use by name.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::tuner {

// `text` with the names that `find` knows replaced by what it gives. Quoted strings, calls and numbers stay as they
// are. Ends early, somewhere behind DerivedExpressions::most_length.
std::string replace_names(std::string_view text, const std::function<const std::string*(std::string_view)>& find);

// Each name stands for its expression's text, in parentheses. Text, because constraints and geometry are put together
// as text later on, and because what is left then knows nothing but sizes, parameters and limits: no later step needs
// to hear of derived names.
class DerivedExpressions {
 public:
  // `text` may use the names added before it, which is what rules out circles. False, and nothing is added, if it would
  // grow beyond `most_length`: each name may double the text of the one before.
  static constexpr std::size_t most_length = 64 << 10;
  bool add(std::string name, std::string_view text);

  // `text` with every derived name replaced. A text beyond most_length is no expression that anybody could read.
  std::string expand(std::string_view text) const;

 private:
  const std::string* find(std::string_view name) const;

  std::vector<std::pair<std::string, std::string>> texts_;
};

}  // namespace warptune::tuner
