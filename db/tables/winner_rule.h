// Decides which of two winners of one session stays: no winner is replaced by a worse-founded one. All winners are
// settled by this rule, a session's own (Store::settle_winner) and those of two stores (merge_winners.cpp). Rejected:
// the latest one. A short session on a busy machine took the place of a long one's. Rejected, too: to add new rounds of
// finals to old ones. Their test shares its chance of error among three looks, and every session would be a further
// look. All functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/records.h"

namespace warptune::db {

// A Foundation is what a winner rests on.
struct Foundation {
  double objective = 0;  // settled
  std::optional<double> relative_error;
  std::int64_t visits = 0;           // of the finals; 0: they did not measure it
  std::optional<double> searched{};  // what the search measured, on its own clock
  std::string decided_at{};
  bool wrong = false;  // by what is known today it may not win

  // Returns whether the error is known. One visit tells no error, nor do recordings. The error of several visits that
  // took equally long is 0, and known.
  bool error_is_known() const;
};

// Returns what a winner rests on. `trial` is the winner's, as the store has it now.
Foundation foundation_of(const Winner& winner, const search::Trial& trial);

// Returns whether a winner that a session has come to takes the place of its earlier one. Finals that measured both
// side by side decide; where they could not tell the two apart, the earlier one stays unless more visits stand behind
// the new one. A new winner that was not measured beside a winner of finals must be better than it by more than both
// errors. If no finals measured the new one at all, it must be so by the search's figures as well as by the settled
// ones, since the two were measured at different times. It must not have lost in those finals either.
bool replaces(const Winner& later, const Foundation& later_on, const Winner& earlier, const Foundation& earlier_on);

// Returns whether the other store's winner takes the place of ours. The two were never measured side by side. The one
// that is better by more than both errors stays, else the one with more visits, else the one that was decided later.
// The answer is the same in both orders.
bool replaces(const Foundation& theirs, const Foundation& ours);

// A winner that is behind the default configuration gives its place to that, unless the finals told the two apart.
Winner not_behind_default(Winner winner);

}  // namespace warptune::db
