// Plans how several problem sizes that one model searches together share a budget.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/budget.h"

namespace warptune::tuner {

// The plan goes in rounds over all sizes, with a few trials at each: the sizes teach each other, and all have something
// as soon as possible. The first sizes of the first round cover all of them, and get more, because nothing is known by
// then. A few trials are made in any case, since a model may be wrong and a device would only wait. Rejected: searching
// some sizes to the end before the others are visited, which then choose among what suits the first ones.
class SizePlan {
 public:
  // `order` has all sizes by their numbers; those before any place cover them all
  // (search/strategies/model_based/shared_model.h). A limit of trials is for all of them together; one of seconds is
  // the caller's to keep.
  SizePlan(std::vector<std::size_t> order, const search::BudgetLimits& whole);

  struct Visit {
    std::size_t size = 0;
    std::size_t most = 0;   // trials
    std::size_t least = 0;  // made whether or not anything is expected of them
  };
  // Returns the next visit, or nothing when the trials are spent. A visit's trials count as spent until it is done;
  // another one may be planned before.
  std::optional<Visit> next();
  // Ends a visit, in which so many trials were made.
  void done(const Visit& visit, std::size_t trials);

  // Returns whether a visit to this size was done.
  bool reached(std::size_t size) const { return states_.at(size).done > 0; }
  std::size_t trials_left() const;

 private:
  struct State {
    std::size_t planned = 0, done = 0;  // visits
  };
  std::size_t unplanned() const;

  std::vector<std::size_t> order_;
  std::optional<std::size_t> trials_;  // of the whole
  std::vector<State> states_;
  std::size_t spent_ = 0, place_ = 0, round_ = 0;
};

}  // namespace warptune::tuner
