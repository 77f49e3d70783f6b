#pragma once

#include <string>

#include "tuner/cli/context.h"

namespace warptune::tuner::cli {

// One trial of the store with its session, or RequestError.
struct KnownTrial {
  db::SessionRecord session;
  db::StoredTrial trial;
};
KnownTrial find_trial(const Context& context, db::TrialId id);

// A shell command that compiles, verifies and measures the trial's configuration once more; it needs no store.
std::string replay_command(const KnownTrial& known);

// All that is known of how one configuration went, a line each.
std::string trial_text(const search::Trial& trial, const search::NamedValues& configuration);

// For `show --trial`: the command alone, or everything.
void show_trial(const Context& context, db::TrialId id, bool replay);

}  // namespace warptune::tuner::cli
