// Selects few kernels for many sizes: which K configurations serve all measured sizes best.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace warptune::tuner {

// slowdown[c][s] is the time of configuration c at size s over the best known time at s, 1 or more; infinite if the
// configuration fails there.
struct SelectionProblem {
  std::vector<std::vector<double>> slowdown;
  // This is the default's slowdown at each size; infinite where it is not known. A choice is not to be slower at any
  // size, if that is possible.
  std::vector<double> default_slowdown;
};

struct Selection {
  std::vector<std::size_t> chosen;  // configurations, ascending; K at most
  std::vector<std::size_t> at;      // for each size, which configuration serves it
  double worst_regret = 0;          // 0.1: 10 % slower than the best known, at the worst size
  double mean_regret = 0;           // over all sizes
  bool exact = false;               // proved to be the best choice there is
  bool above_default = false;       // slower than the default somewhere: then no choice of K avoids that
};

// Minimises, in this order: by how much the default is missed, the worst regret, the mean regret. It begins with greedy
// choice and swaps, and goes on by branch and bound. The result is exact if `max_nodes` suffice, else it is the best
// that was found. It needs a configuration, a size and K of 1 or more, else it throws std::invalid_argument.
Selection select_kernels(const SelectionProblem& problem, std::size_t k, std::size_t max_nodes = 2'000'000);

}  // namespace warptune::tuner
