// How several problem sizes that one model searches together share a budget.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "search/budget.h"

namespace warptune::tuner {

// Three parts. A few sizes that cover all of them are searched as if alone, with half of the budget. Each of the others
// is then visited once: the model checks what it expects to be best there, and stops by itself. A visit may take
// several times its equal share of what is left, and what it leaves is the later ones'. In the end the rest goes to
// wherever most is to be gained: another visit where the model expects something of what is compiled, else a search for
// what nobody has tried yet, where the search improved most lately. What would be spent on set-up and on waiting for a
// compiler alone is not given out.
class SizePlan {
 public:
  // `order`: all sizes by their numbers, those before any place covering them all (search/models/size_model.h). The
  // budget must be one of time or trials.
  SizePlan(std::vector<std::size_t> order, const search::BudgetLimits& whole);

  enum class Kind {
    search,  // as if alone
    visit,   // what the model expects of what was tried elsewhere
  };
  struct Step {
    std::size_t size = 0;
    Kind kind = Kind::search;
    search::BudgetLimits limits;  // for this step alone
  };
  // What the model expects to gain at a size, relative to its best.
  using Gain = std::function<double(std::size_t size)>;
  // Nothing when the budget is spent.
  std::optional<Step> next(const Gain& gain);

  struct Outcome {
    double seconds = 0, setup_s = 0;
    double compile_s = 0;  // the longest that a configuration of it was compiled; 0: none was
    std::size_t trials = 0;
    double improvement = 0;  // late_improvement (size_budget.h)
    bool exhausted = false;  // of a search: nothing is left to try
  };
  void done(const Step& step, const Outcome& outcome);

  // Whether there was time for it.
  bool reached(std::size_t size) const { return states_.at(size).steps > 0; }

 private:
  struct State {
    double spent = 0, improvement = 0;
    std::size_t steps = 0, visits = 0;
    bool exhausted = false;
  };
  double left() const;
  double least() const;
  double least_search() const;
  std::optional<Step> step(std::size_t size, Kind kind, double fraction) const;
  std::optional<Step> next_to_gain(const Gain& gain);
  std::optional<std::size_t> to_be_searched() const;

  std::vector<std::size_t> order_;
  search::BudgetLimits whole_;
  std::size_t anchors_;
  std::vector<State> states_;
  double spent_ = 0;        // of the whole
  std::size_t trials_ = 0;  // that were spent
  double setups_s_ = 0;     // of all steps but the first, which starts the workers
  double compile_s_ = 0;    // the longest
  std::size_t steps_ = 0;
};

}  // namespace warptune::tuner
