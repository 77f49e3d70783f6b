// Finds stored sessions and their templates, and says what a user should know about them.
#pragma once

#include "tuner/program/cli/grammar/context.h"
#include "tuner/results/check/today.h"

namespace warptune::tuner::cli {

// Returns a function that says where sessions' templates lie: `given` (a name or path, from --template) for all of
// them; else where they were when they were tuned, else what their kernel's name finds, if that is the same template
// and not another of that name.
TemplateFinder template_finder(const std::string& given);
// Returns what compares sessions with the drivers, compilers and templates of today.
Today make_today(const std::string& given);

// Adds --template to a verb that looks for the templates of stored sessions.
void add_template_option(CLI::App& verb, std::string& given);

// Returns the session that is meant: one by its reference (find_session), or the one of a kernel, by its name or path,
// that was tuned last; "" is the last of all. Throws RequestError.
db::Located<db::SessionRecord> find_session_or_latest(const std::string& what, const db::StoreSet& stores);

// Says on stderr if a session that differs in its restrictions alone has a faster winner. `best` and `export` take the
// winner that was decided last.
void say_of_a_faster_session(const db::BestRecord& best, const db::Store& store);
// Says so where a session that was killed, or still runs, has a better trial than the winner of before.
void say_of_a_later_trial(const db::BestRecord& best, const db::Store& store);

// Says so where a winner's time is known far worse than was asked for (`precision`, relative): it may have won by luck.
void say_of_an_uncertain_winner(db::SessionId session, const db::Winner& winner, double precision);

// Returns whether a session's figures are a recording's, which no machine can measure again. Then it says so on stderr.
bool left_out_as_recording(const db::SessionRecord& session);

// Returns why nothing can be told of a session whose sources nobody kept (Standing::sources_not_kept), and how to keep
// them.
std::string why_not_checkable(const db::SessionRecord& session);

// Says on stderr if a session's key is not today's: "session 3 (gemm, M=1024) is not current: driver (…)". Returns
// whether it is current, as far as that can be told: for sources that nobody kept, it only says so.
bool warn_if_stale(const db::SessionRecord& session, const Standing& standing);

}  // namespace warptune::tuner::cli
