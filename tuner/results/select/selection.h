// Selects few kernels for many sizes: makes a table of stored sessions of one kernel on one device, and says which K
// configurations serve all measured sizes best.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"

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

// Holds what one session tells of its problem size.
struct MeasuredSize {
  db::SessionRecord session;
  double best = 0;                          // the least settled objective of all that was tried there
  std::optional<double> default_objective;  // the default configuration's settled objective
  std::optional<std::size_t> winner;        // the number of the winner's configuration
};

// Holds every configuration that was tried at some size, beside every size.
struct MeasuredSizes {
  std::vector<MeasuredSize> sizes;
  std::vector<search::NamedValues> configurations;
  // objectives[configuration][size] is the settled objective, infinite if it failed there, absent if it was not tried.
  std::vector<std::vector<std::optional<double>>> objectives;
};

// Holds a session, which is one size, as its store holds it.
struct StoredSize {
  db::SessionRecord session;
  std::vector<db::StoredTrial> trials;
  std::optional<db::Winner> winner;
};

// Returns an objective over the best one, 1 or more; infinite if the objective is. Objectives are minimised; those of a
// maximised metric are negative.
double slowdown(double objective, double best);

// Builds the table. `default_values` is the default configuration in the manifest's order. Where its trial is not
// found, what the winner was compared with stands for it.
MeasuredSizes measured_sizes(const std::vector<StoredSize>& sizes, const search::NamedValues& default_values);

// `missing_figures` returns the configurations whose figure at a size would be worth measuring: the `top` best of any
// size and the default. Each is named by its number and the numbers of the sizes that it lacks.
struct MissingFigures {
  std::size_t configuration = 0;
  std::vector<std::size_t> sizes;
};
std::vector<MissingFigures> missing_figures(const MeasuredSizes& measured, std::size_t top,
                                            const search::NamedValues& default_values);

// Holds a selection problem over the configurations that were tried at every size, with what is left out.
struct ComparableConfigurations {
  SelectionProblem problem;
  std::vector<std::size_t> numbers;  // in MeasuredSizes, for each row of the problem
  std::size_t incomplete = 0;        // configurations that were not tried everywhere
};
ComparableConfigurations comparable(const MeasuredSizes& measured);

}  // namespace warptune::tuner
