// Parses dates as people write them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace warptune::tuner::cli {

using TimePoint = std::chrono::system_clock::time_point;

// A period is what a date stands for: a day, a month, a minute … For "30d" (ago) it is a single moment, where both ends
// are equal.
struct Period {
  TimePoint begin;
  TimePoint end;  // the first moment that is no part of it any more
};

// Parses "today", "yesterday", "this week", "last month", "last year"; "30d", "12h", "2w", "3 days ago" before `now`;
// "2026", "2026-11", "2026-11-22", "2026-11-22T10:00" and with seconds. Times are local unless Z or an offset (+05:30)
// follows. When clocks are put back, an hour comes twice; a local time in it stands for the period from its first to
// its second moment. Weeks begin on Monday. Throws std::invalid_argument that lists these forms for anything else, also
// for a day that does not exist.
Period parse_date(std::string_view text, TimePoint now);

// Return the bounds of a filter as the store writes times: `since_text` for what began on this date or later,
// `until_text` for what began on it or earlier. An empty date gives an empty text.
std::string since_text(const std::string& date, TimePoint now);
std::string until_text(const std::string& date, TimePoint now);

}  // namespace warptune::tuner::cli
