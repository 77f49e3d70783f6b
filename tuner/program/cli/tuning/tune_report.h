// Prints what `tune` says at the end of a session.
#pragma once

#include "db/store.h"
#include "tuner/program/cli/grammar/context.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

// Prints the report in the context's format, with what the store knows of the session, and sets the exit code.
void report(const Tuning& tuning, const SessionResult& result, const db::Store& store, Context& context);

// Prints the report after an error, which may be that the store is gone. Then the report has only what was measured,
// and says what of it the store has. `begun` is the session as the store had it at its start.
void report_with_or_without(const db::Store& store, const Tuning& tuning, const db::SessionRecord& begun,
                            const SessionResult& result, Context& context);

}  // namespace warptune::tuner::cli
