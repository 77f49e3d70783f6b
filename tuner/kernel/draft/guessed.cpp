// Collects the guesses so that the user sees them. They decide what is measured and verified, and a comment in a file
// that nobody opens does not tell of them.
#include "tuner/kernel/draft/guessed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace warptune::tuner::draft {

namespace {

bool is_guess(const std::string& comment) {
  return comment.starts_with("a guess");
}

// Returns a fill or a tolerance without its braces and its seed: "{ uniform = [0, 100], seed = 1 }" becomes
// "uniform = [0, 100]".
std::string plain(std::string fill) {
  if (const auto seed = fill.find(", seed"); seed != std::string::npos) fill.erase(seed, fill.find(" }") - seed);
  if (fill.starts_with("{ ") && fill.ends_with(" }")) fill = fill.substr(2, fill.size() - 4);
  return fill;
}

}  // namespace

std::vector<std::string> guessed(const Draft& draft) {
  std::vector<std::string> sizes, values, data, tolerances, lines;
  for (const SizeDraft& size : draft.sizes)
    if (is_guess(size.comment)) sizes.push_back(fmt::format("{} = {}", size.name, size.value));
  for (const ArgumentDraft& argument : draft.arguments) {
    if (argument.temporary) continue;
    if (!argument.value.empty() && std::ranges::any_of(argument.comments, is_guess))
      values.push_back(fmt::format("{} = {}", argument.name, argument.value));
    const bool drawn =
        argument.fill.find("uniform") != std::string::npos || argument.fill.find("range") != std::string::npos;
    if (argument.value.empty() && drawn && argument.role != "output")
      data.push_back(fmt::format("{}: {}", argument.name, plain(argument.fill)));
    if (!argument.tolerance.empty())
      tolerances.push_back(fmt::format("{}: {}", argument.name, plain(argument.tolerance)));
  }
  const auto add = [&](const char* what, const char* separator, const std::vector<std::string>& items) {
    if (!items.empty()) lines.push_back(fmt::format("{}: {}", what, fmt::join(items, separator)));
  };
  add("sizes", ", ", sizes);
  add("values", ", ", values);
  add("data", "; ", data);
  add("tolerances", "; ", tolerances);
  return lines;
}

}  // namespace warptune::tuner::draft
