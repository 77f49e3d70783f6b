// Finds a trial of the store, shows it, and prepares to run it again.
#pragma once

#include <string>

#include "search/expected_output.h"
#include "tuner/program/cli/grammar/context.h"
#include "tuner/session/request.h"

namespace warptune::tuner::cli {

// A known trial is one trial of the store with its session. `find_trial` throws RequestError if there is none.
struct KnownTrial {
  db::SessionRecord session;
  db::StoredTrial trial;
};
KnownTrial find_trial(const Context& context, db::TrialId id);

// Returns where the session's template lies: where it was tuned, else what its name finds. Throws RequestError.
std::filesystem::path template_of(const db::SessionRecord& session);
// Returns the recorded call that the session was tuned on; empty if it was none. Throws RequestError if its file is
// gone.
std::filesystem::path capture_of(const db::SessionRecord& session);

// Puts the problem of a stored trial into the request, to be run again with its template, and on its device or one of
// its model. A template, a capture or a device that the request names already stays. Throws RequestError or
// NoDeviceError.
void request_again(const KnownTrial& known, TuneRequest& request);

// Returns a shell command that compiles, verifies and measures the trial's configuration once more, in any folder; it
// needs no store.
std::string replay_command(const KnownTrial& known);

// Returns all that is known of how one configuration went, a line each.
std::string trial_text(const search::Trial& trial, const search::NamedValues& configuration,
                       const std::string& launches, const std::vector<search::ExpectedOutput>& expected = {});

// Says how a header is found that a trial's compiler has not found; nothing where none is missing.
void say_if_header_is_missing(const search::Trial& trial);

// Prints what `show --trial` shows: the command alone (`replay`), or everything, as text or JSON.
void show_trial(const Context& context, db::TrialId id, bool replay);

}  // namespace warptune::tuner::cli
