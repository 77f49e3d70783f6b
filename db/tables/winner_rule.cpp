// Compares winners by what the finals told, by their visits, and by their errors.
#include "db/tables/winner_rule.h"

#include <algorithm>
#include <cmath>

#include "db/settled.h"

namespace warptune::db {

namespace {

const WinnerFinalist* find_finalist(const Winner& winner, TrialId trial) {
  const auto found = std::ranges::find(winner.finalists, trial, &WinnerFinalist::trial);
  return found == winner.finalists.end() ? nullptr : &*found;
}

// Returns whether the finals measured both, and chance does not explain that the trial was slower than the winner.
bool told_slower(const Winner& winner, TrialId trial) {
  const WinnerFinalist* slower = find_finalist(winner, trial);
  return slower && find_finalist(winner, winner.trial) && std::ranges::count(winner.ties, trial) == 0 &&
         slower->slower_low > 0 && std::isfinite(slower->slower_high);
}

// Returns whether `a` is better than `b` by more than both errors. If the two are not on the same side of zero, the
// smaller one is better.
bool better_beyond(double a, double b, double errors) {
  const auto times_as_good = gain(a, b);
  return times_as_good ? *times_as_good > 1 + errors : a < b;
}

bool clearly_better(const Foundation& a, const Foundation& b) {
  const double errors = sum_of_errors(a.relative_error.value_or(0), b.relative_error.value_or(0));
  if (!better_beyond(a.objective, b.objective, errors)) return false;
  const bool one_clock = (a.visits > 0) == (b.visits > 0);
  return one_clock || !a.searched || !b.searched || better_beyond(*a.searched, *b.searched, errors);
}

}  // namespace

bool Foundation::error_is_known() const {
  return relative_error && std::isfinite(*relative_error) && (*relative_error > 0 || visits > 1);
}

Foundation foundation_of(const Winner& winner, const search::Trial& trial) {
  const WinnerFinalist* finalist = find_finalist(winner, winner.trial);
  Foundation on{winner.objective, winner.relative_error, finalist ? finalist->visits : 0, std::nullopt,
                winner.decided_at};
  on.wrong = !trial.correct() || trial.objectives.empty() || !std::isfinite(trial.objectives.front());
  if (!on.wrong) on.searched = trial.objectives.front();
  return on;
}

bool replaces(const Winner& later, const Foundation& later_on, const Winner& earlier, const Foundation& earlier_on) {
  if (earlier_on.wrong) return true;
  if (later_on.error_is_known() != earlier_on.error_is_known()) return later_on.error_is_known();
  if (later.trial == earlier.trial) return later_on.visits >= earlier_on.visits;
  if (later_on.visits > 0 && find_finalist(later, earlier.trial))
    return told_slower(later, earlier.trial) || later_on.visits > earlier_on.visits;
  if (earlier_on.visits > 0) return !told_slower(earlier, later.trial) && clearly_better(later_on, earlier_on);
  return later_on.visits > 0 || later_on.objective <= earlier_on.searched.value_or(earlier_on.objective);
}

bool replaces(const Foundation& theirs, const Foundation& ours) {
  if (theirs.wrong != ours.wrong) return ours.wrong;
  if (theirs.error_is_known() != ours.error_is_known()) return theirs.error_is_known();
  if (clearly_better(theirs, ours)) return true;
  if (clearly_better(ours, theirs)) return false;
  if (theirs.visits != ours.visits) return theirs.visits > ours.visits;
  if (theirs.decided_at != ours.decided_at) return theirs.decided_at > ours.decided_at;
  return theirs.objective < ours.objective;
}

Winner not_behind_default(Winner winner) {
  if (!winner.default_trial || *winner.default_trial == winner.trial) return winner;
  if (!winner.default_objective || *winner.default_objective >= winner.objective) return winner;
  if (told_slower(winner, *winner.default_trial)) return winner;
  winner.trial = *winner.default_trial;
  winner.objective = *winner.default_objective;
  winner.relative_error.reset();
  winner.ties.clear();
  const auto place = std::ranges::find(winner.finalists, winner.trial, &WinnerFinalist::trial);
  if (place == winner.finalists.end()) return winner;
  place->slower_by = place->slower_low = place->slower_high = 0;
  winner.relative_error = place->relative_error;
  std::rotate(winner.finalists.begin(), place, place + 1);
  return winner;
}

}  // namespace warptune::db
