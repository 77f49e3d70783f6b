// Shares one budget among several problem sizes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/budget.h"

namespace warptune::tuner {

// Every size first gets an equal share of half the budget. The other half is given out in slices of half that share.
// Each slice goes to the size whose best improved most, relatively, in the later half of its last slice, because what
// got better lately may go on to do so. Among equals the size that got least so far goes first, then the first in
// order. A size whose search is exhausted gets nothing more. Without a budget of time or trials, each size is searched
// to its end, once.
class SizeBudget {
 public:
  SizeBudget(std::size_t sizes, const search::BudgetLimits& whole);

  struct Slice {
    std::size_t size = 0;
    search::BudgetLimits limits;  // for this slice alone
  };
  // Returns nothing when the budget is spent or every size is exhausted.
  std::optional<Slice> next() const;

  struct Outcome {
    double fraction_spent = 0;  // of the whole budget
    double improvement = 0;     // late_improvement of its trials
    bool exhausted = false;     // nothing is left to try
  };
  void done(const Slice& slice, const Outcome& outcome);
  // Sets a fraction of the whole budget aside for something else.
  void reserve(double fraction) { spent_ += fraction; }

  // Returns which fraction of the whole budget a slice used that took so long and so many trials.
  double fraction(double seconds, std::size_t trials) const;

 private:
  struct State {
    double spent = 0;
    double improvement = 0;  // of the last slice
    std::size_t slices = 0;
    bool exhausted = false;
  };
  std::optional<std::size_t> choose() const;

  search::BudgetLimits whole_;
  bool limited_;
  double share_;  // of the whole, for the first slice of each
  double spent_ = 0;
  std::vector<State> states_;
};

// Returns by how much the best objective fell over the later half of the trials from `first` on: 0.1 is 10 %; 1 if
// nothing was correct before.
double late_improvement(const std::vector<search::Trial>& trials, std::size_t first);

}  // namespace warptune::tuner
