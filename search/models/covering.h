#pragma once

#include <cstddef>
#include <vector>

namespace warptune::search {

// Problem sizes, one list of positive numbers each, in an order in which those before any place cover them all: the
// most central first, then always the one farthest from those before, by logarithms (maximin; Johnson, Moore and
// Ylvisaker 1990).
std::vector<std::size_t> covering_order(const std::vector<std::vector<double>>& sizes);

}  // namespace warptune::search
