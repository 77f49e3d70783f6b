// Writes figures and configurations as people read them: with a unit, and with as many digits as they are worth.
// Programs get the same cells with every bit.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "db/records.h"
#include "search/plain_text.h"
#include "search/value.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// Returns "1 trial", "2 trials".
std::string counted(std::size_t count, const std::string& what);

using search::three_digits;

// Returns "812 µs", "59.0 ms", "3.10 s".
std::string duration_text(double milliseconds);
// Returns the same of one measurement alone, with five digits: "812.43 µs". Scripts read it, and compare.
std::string exact_duration_text(double milliseconds);
Cell time_cell(const std::optional<double>& milliseconds);
// Returns the cell of an objective: a time, or a metric of some other name.
Cell objective_cell(const std::string& objective, const std::optional<double>& value);

// Return "± 0.43 %" for people, 0.0043 for programs; "± unknown", and nothing for programs, where one visit cannot
// tell.
std::string error_text(double relative_error);
Cell error_cell(double relative_error);

// Says how much slower something is, with its bounds: "1.8 % ± 0.6 %"; "60 % (10 to 80 %)" where the bounds are
// lopsided, "1.8 %" where there are none; from twice the time on "2.20 times (1.30 to 3.60)"; "39 % ± 2 % less" of what
// is faster; "not separable" where the difference may as well be none.
std::string difference_text(double difference, double low, double high);

// Says the same in a sentence: "is 1.8 % ± 0.6 % slower", "takes 39 % ± 2 % less time", "takes 2.20 times (1.30 to
// 3.60) as long"; by another objective than the time "is 1.8 % ± 0.6 % worse", "is 39 % ± 2 % better", "is worse by a
// factor of 2.20 (1.30 to 3.60)".
std::string slower_text(double difference, double low, double high, const std::string& objective = "time");

// Returns "2.10 times", "31 times".
std::string ratio_text(double ratio);

// Returns "2.10 times", "2.10 times in search" if no finals held winner and default against each other, or "not
// separable" from the default; empty without a default.
Cell speed_up_cell(const db::Winner& winner);
// Returns "2.10 times the default", "not separable from the default on this noisy device", "none: the default
// configuration is the best"; empty without a default.
std::string speed_up_text(const db::Winner& winner);

// Return what differs from the default: "BLOCK=256,ITEMS=4", or "default"; everything if no default is known. Programs
// get the whole configuration.
std::string configuration_text(const search::NamedValues& values, const search::NamedValues& defaults);
Cell configuration_cell(const search::NamedValues& values, const search::NamedValues& defaults);

// Returns whether nothing was recorded for ten minutes in a session that has not ended: its program was probably
// killed.
bool is_silent(const db::SessionRecord& session, std::chrono::system_clock::time_point now);
// Returns "running", "finished", "interrupted"; "silent" for a session that is_silent() is true of.
std::string state_text(const db::SessionRecord& session);
Cell state_cell(const db::SessionRecord& session);  // programs get the store's word, which is "running"

// Return a moment of the store in local time, with its offset. Every option that asks for a date takes this form:
// "2026-11-22 14:05+01:00" for "2026-11-22T13:05:12.123Z"; "2026-11-22 13:05Z" where local time is UTC. Programs get
// the store's text.
std::string moment_text(const std::string& iso_8601);
Cell moment_cell(const std::string& iso_8601);

// Return the recorded call that a session was tuned on: its file's name for people, else the beginning of its hash; for
// programs the hash. It is empty where it was the template's own data.
std::string capture_text(const db::SessionRecord& session);
Cell capture_cell(const db::SessionRecord& session);

}  // namespace warptune::tuner
