// What `tune` prints at the end of a session.
#pragma once

#include "db/store.h"
#include "tuner/program/cli/grammar/context.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

// In the context's format, with what the store knows of the session; sets the exit code.
void report(const Tuning& tuning, const SessionResult& result, const db::Store& store, Context& context);

// The same behind an error, which may be that the store is gone: then with what was measured alone, and what of it the
// store has. `begun`: the session as the store had it at its start.
void report_with_or_without(const db::Store& store, const Tuning& tuning, const db::SessionRecord& begun,
                            const SessionResult& result, Context& context);

}  // namespace warptune::tuner::cli
