#pragma once

#include "tuner/program/cli/grammar/context.h"
#include "tuner/results/check/today.h"

namespace warptune::tuner::cli {

// Where sessions' templates lie: `given` (a name or path, from --template) for all of them; else where they were when
// they were tuned, else what their kernel's name finds, if that is the same template and not another of that name.
TemplateFinder template_finder(const std::string& given);
Today make_today(const std::string& given);

// Adds --template to a verb that looks for the templates of stored sessions.
void add_template_option(CLI::App& verb, std::string& given);

// The session that is meant: one by its reference (find_session), or the one of a kernel, by its name or path, that was
// tuned last; "" is the last of all. Throws RequestError.
db::Located<db::SessionRecord> find_session_or_latest(const std::string& what, const db::StoreSet& stores);

// A line on stderr if a session that differs in its restrictions alone has a faster winner: `best` and `export` take
// the winner that was decided last.
void say_of_a_faster_session(const db::BestRecord& best, const db::Store& store);
// Says so where a session that was killed, or still runs, has a better trial than the winner of before.
void say_of_a_later_trial(const db::BestRecord& best, const db::Store& store);

// Says so where a winner's time is known far worse than was asked for (`precision`, relative): it may have won by luck.
void say_of_an_uncertain_winner(db::SessionId session, const db::Winner& winner, double precision);

// Whether a session's figures are a recording's, which no machine can measure again; with a line on stderr.
bool left_out_as_recording(const db::SessionRecord& session);

// Of a session whose sources nobody kept (Standing::sources_not_kept): why nothing can be told of it, and how to keep
// them.
std::string why_not_checkable(const db::SessionRecord& session);

// A line on stderr for a session whose key is not today's: "session 3 (gemm, M=1024) is not current: driver (…)".
// Returns whether it is current, as far as that can be told: sources that nobody kept are only named.
bool warn_if_stale(const db::SessionRecord& session, const Standing& standing);

}  // namespace warptune::tuner::cli
