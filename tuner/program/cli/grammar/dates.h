// Dates as people write them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace warptune::tuner::cli {

using TimePoint = std::chrono::system_clock::time_point;

// What a date stands for: a day, a month, a minute …; of "30d" (ago) a single moment, where both are equal.
struct Period {
  TimePoint begin;
  TimePoint end;  // the first moment that is no part of it any more
};

// "today", "yesterday", "this week", "last month", "last year"; "30d", "12h", "2w", "3 days ago" before `now`; "2026",
// "2026-11", "2026-11-22", "2026-11-22T10:00" and with seconds, in local time unless Z or an offset (+05:30) follows.
// In an hour that comes twice, for clocks are put back, a local time is from its first to its second moment. Weeks
// begin on Monday. Throws std::invalid_argument that lists these for anything else, also for a day that does not exist.
Period parse_date(std::string_view text, TimePoint now);

// For a filter of what began then or later, and then or earlier, as the store writes times. Empty stays empty.
std::string since_text(const std::string& date, TimePoint now);
std::string until_text(const std::string& date, TimePoint now);

}  // namespace warptune::tuner::cli
