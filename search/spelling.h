// Words that people mistype, and what they probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::search {

// How many letters must be inserted, deleted, replaced or swapped with their neighbour to make one word of the other
// (optimal string alignment, a restricted Damerau-Levenshtein distance). Bytes, not characters.
std::size_t edit_distance(std::string_view one, std::string_view other);

// The known word that the mistyped one is close to: equal but for case, its only continuation, or at most a third of
// its letters away. Empty if none is, because a far-fetched guess is worse than none.
std::string nearest_word(std::string_view mistyped, const std::vector<std::string>& known);

// " (did you mean gemm?)", to follow the mistyped word in a message; empty if nothing is close.
std::string did_you_mean(std::string_view mistyped, const std::vector<std::string>& known);

}  // namespace warptune::search
