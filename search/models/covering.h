// Orders problem sizes so that the first of them cover all.
#pragma once

#include <cstddef>
#include <vector>

namespace warptune::search {

// Returns the indices of the problem sizes in an order in which those before any place cover them all. Each size is a
// list of positive numbers. The most central comes first, then always the one farthest from those before, by logarithms
// (maximin; Johnson, Moore and Ylvisaker 1990).
std::vector<std::size_t> covering_order(const std::vector<std::vector<double>>& sizes);

}  // namespace warptune::search
