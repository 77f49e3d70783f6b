// Guesses what people probably meant by words that they mistyped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::search {

// Returns how many letters must be inserted, deleted, replaced or swapped with their neighbour to make one word of the
// other (optimal string alignment, a restricted Damerau-Levenshtein distance). It counts bytes, not characters.
std::size_t edit_distance(std::string_view one, std::string_view other);

// Returns the known word that the mistyped one is close to: one that is equal but for case, its only continuation, or
// one that is at most a third of its letters away. It returns an empty text if none is close, because a far-fetched
// guess is worse than none.
std::string nearest_word(std::string_view mistyped, const std::vector<std::string>& known);

// Returns a text such as " (did you mean gemm?)", to follow the mistyped word in a message, or an empty text if nothing
// is close.
std::string did_you_mean(std::string_view mistyped, const std::vector<std::string>& known);

}  // namespace warptune::search
