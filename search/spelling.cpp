// Finds the nearest word by edit distance, or else by how the words begin.
#include "search/spelling.h"

#include <algorithm>

namespace warptune::search {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return result;
}

// Returns the one known word with this beginning. It returns an empty text if there is none or there are several, or if
// the beginning is too short to mean anything.
std::string only_continuation(const std::string& beginning, const std::vector<std::string>& known) {
  constexpr std::size_t telling = 3;
  if (beginning.size() < telling) return "";
  std::string found;
  for (const std::string& word : known) {
    if (!lower(word).starts_with(beginning)) continue;
    if (!found.empty()) return "";
    found = word;
  }
  return found;
}

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before, previous(other.size() + 1), current(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      current[j] = std::min({replaced, previous[j] + 1, current[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = previous;
    std::swap(previous, current);
  }
  return previous[other.size()];
}

std::string nearest_word(std::string_view mistyped, const std::vector<std::string>& known) {
  const std::string wanted = lower(mistyped);
  std::string nearest;
  std::size_t least = std::max<std::size_t>(wanted.size() / 3, wanted.size() > 2 ? 1 : 0) + 1;
  for (const std::string& word : known) {
    const std::size_t distance = edit_distance(wanted, lower(word));
    if (distance >= least || distance >= word.size()) continue;
    least = distance;
    nearest = word;
  }
  return nearest.empty() ? only_continuation(wanted, known) : nearest;
}

std::string did_you_mean(std::string_view mistyped, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(mistyped, known);
  return nearest.empty() ? "" : " (did you mean " + nearest + "?)";
}

}  // namespace warptune::search
