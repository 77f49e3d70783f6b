// Parses dates by trying one form after the other; the C library converts local times.
#include "tuner/program/cli/grammar/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <map>
#include <optional>
#include <stdexcept>

#include "db/timestamp.h"

namespace warptune::tuner::cli {

namespace {

namespace chrono = std::chrono;  // names of its units would shadow others in the unity build
using chrono::system_clock;

constexpr int days_a_week = 7;

std::tm local(TimePoint time) {
  const std::time_t moment = system_clock::to_time_t(time);
  std::tm parts{};
  localtime_r(&moment, &parts);
  return parts;
}

// Returns the moment of a local date and time, whose numbers may lie beyond a month's or a year's end. The C library
// finds out whether summer time holds.
TimePoint at(int year, int month, int day, int hour = 0, int minute = 0, int second = 0) {
  std::tm parts{};
  parts.tm_year = year - 1900;
  parts.tm_mon = month - 1;
  parts.tm_mday = day;
  parts.tm_hour = hour;
  parts.tm_min = minute;
  parts.tm_sec = second;
  parts.tm_isdst = -1;
  return system_clock::from_time_t(std::mktime(&parts));
}

TimePoint utc(int year, int month, int day, int hour, int minute, int second) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return std::chrono::sys_days(date) + chrono::hours(hour) + chrono::minutes(minute) + chrono::seconds(second);
}

// Returns the period of "today", "last week" …: the `unit` that lies `before` units before the present one.
Period calendar_period(std::string_view unit, int before, TimePoint now) {
  const std::tm parts = local(now);
  const int year = parts.tm_year + 1900, month = parts.tm_mon + 1, day = parts.tm_mday;
  if (unit == "year") return {at(year - before, 1, 1), at(year - before + 1, 1, 1)};
  if (unit == "month") return {at(year, month - before, 1), at(year, month - before + 1, 1)};
  if (unit == "day") return {at(year, month, day - before), at(year, month, day - before + 1)};
  const int monday = day - (parts.tm_wday + days_a_week - 1) % days_a_week - days_a_week * before;
  return {at(year, month, monday), at(year, month, monday + days_a_week)};
}

std::optional<Period> named_period(std::string_view text, TimePoint now) {
  static const std::map<std::string_view, std::pair<std::string_view, int>> names = {
      {"today", {"day", 0}},      {"yesterday", {"day", 1}},    {"this week", {"week", 0}},
      {"last week", {"week", 1}}, {"this month", {"month", 0}}, {"last month", {"month", 1}},
      {"this year", {"year", 0}}, {"last year", {"year", 1}}};
  const auto found = names.find(text);
  if (found == names.end()) return std::nullopt;
  return calendar_period(found->second.first, found->second.second, now);
}

std::optional<int> number(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || value < 0) return std::nullopt;
  return value;
}

std::string_view without_end(std::string_view text, std::string_view end) {
  return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

// Parses "30d", "30 days" and "30 days ago". Months and years are the calendar's, and days keep the time that the clock
// shows.
std::optional<Period> time_ago(std::string_view text, TimePoint now) {
  text = without_end(text, " ago");
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = number(text.substr(0, digits));
  std::string_view unit = text.substr(digits);
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.size() > 1) unit = without_end(unit, "s");
  constexpr int most = 100'000;
  if (!count || *count > most) return std::nullopt;
  const std::tm parts = local(now);
  const auto before = [&](int years, int months, int days) {
    const TimePoint then = at(parts.tm_year + 1900 - years, parts.tm_mon + 1 - months, parts.tm_mday - days,
                              parts.tm_hour, parts.tm_min, parts.tm_sec);
    return Period{then, then};
  };
  if (unit == "min" || unit == "minute") return Period{now - chrono::minutes(*count), now - chrono::minutes(*count)};
  if (unit == "h" || unit == "hour") return Period{now - chrono::hours(*count), now - chrono::hours(*count)};
  if (unit == "d" || unit == "day") return before(0, 0, *count);
  if (unit == "w" || unit == "week") return before(0, 0, days_a_week * *count);
  if (unit == "month") return before(0, *count, 0);
  if (unit == "y" || unit == "year") return before(*count, 0, 0);
  return std::nullopt;
}

// Takes a number of exactly `digits` digits off the front of the text, with the character `before` in front of it if
// one is given.
std::optional<int> take(std::string_view& text, std::size_t digits, char before = '\0') {
  if (before != '\0' && !text.starts_with(before)) return std::nullopt;
  const std::size_t begin = before == '\0' ? 0 : 1;
  if (text.size() < begin + digits) return std::nullopt;
  const auto value = number(text.substr(begin, digits));
  if (value) text.remove_prefix(begin + digits);
  return value;
}

struct TimeOfDay {
  int hour = 0, minute = 0, second = 0, millisecond = 0;
  chrono::milliseconds precision = chrono::minutes(1);  // the smallest unit that was written
};

// Parses "10:00", "10:00:30" and "10:00:30.125".
std::optional<TimeOfDay> time_of_day(std::string_view text) {
  TimeOfDay time;
  const auto hour = take(text, 2), minute = take(text, 2, ':');
  if (!hour || !minute || *hour > 23 || *minute > 59) return std::nullopt;
  time.hour = *hour, time.minute = *minute;
  if (text.empty()) return time;
  const auto second = take(text, 2, ':');
  if (!second || *second > 59) return std::nullopt;
  time.second = *second, time.precision = chrono::seconds(1);
  if (text.empty()) return time;
  const auto millisecond = take(text, 3, '.');
  if (!millisecond || !text.empty()) return std::nullopt;
  time.millisecond = *millisecond, time.precision = chrono::milliseconds(1);
  return time;
}

Period whole(TimePoint moment) {
  return {moment, moment};
}

// Returns the moment of a local time. Where clocks are put back an hour comes twice; the period is then from the first
// of both moments to the second.
Period local_moment(int year, int month, int day, const TimeOfDay& time) {
  std::optional<Period> found;
  for (const int summer : {1, 0}) {
    std::tm parts{};
    parts.tm_year = year - 1900, parts.tm_mon = month - 1, parts.tm_mday = day;
    parts.tm_hour = time.hour, parts.tm_min = time.minute, parts.tm_sec = time.second;
    parts.tm_isdst = summer;
    const TimePoint moment = system_clock::from_time_t(std::mktime(&parts));
    if (parts.tm_isdst != summer || parts.tm_hour != time.hour || parts.tm_min != time.minute) continue;
    found = found ? Period{std::min(found->begin, moment), std::max(found->end, moment)} : whole(moment);
  }
  return found ? *found : whole(at(year, month, day, time.hour, time.minute, time.second));
}

// Takes an offset from UTC off the end of the text: "z", "utc", "gmt", "+05:30", "-0500" or "+05", with a blank before
// it or not.
std::optional<chrono::minutes> take_offset(std::string_view& text) {
  const auto without_blank = [&] {
    if (text.ends_with(' ')) text.remove_suffix(1);
  };
  for (const std::string_view name : {"z", "utc", "gmt"})
    if (text.ends_with(name)) {
      text.remove_suffix(name.size());
      without_blank();
      return chrono::minutes(0);
    }
  const std::size_t sign = text.find_last_of("+-");
  if (sign == text.npos) return std::nullopt;
  std::string_view digits = text.substr(sign + 1);
  const auto hours = take(digits, 2);
  const auto minutes = digits.empty() ? std::optional(0) : take(digits, 2, digits.starts_with(':') ? ':' : '\0');
  if (!hours || !minutes || !digits.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  const int size = 60 * *hours + *minutes;
  const bool is_west = text[sign] == '-';
  text = text.substr(0, sign);
  without_blank();
  return chrono::minutes(is_west ? -size : size);
}

// Parses a date of ISO 8601. It also reads times as output shows them and as the store writes them: 2026-11-22
// 11:00+01:00, 2026-11-22T10:00:30.125Z.
std::optional<Period> iso_date(std::string_view text) {
  const auto year = take(text, 4);
  if (!year || *year < 1970) return std::nullopt;
  if (text.empty()) return Period{at(*year, 1, 1), at(*year + 1, 1, 1)};
  const auto month = take(text, 2, '-');
  if (!month || *month < 1 || *month > 12) return std::nullopt;
  if (text.empty()) return Period{at(*year, *month, 1), at(*year, *month + 1, 1)};
  const auto day = take(text, 2, '-');
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  if (text.empty()) return Period{at(*year, *month, *day), at(*year, *month, *day + 1)};
  if (!text.starts_with('t') && !text.starts_with(' ')) return std::nullopt;
  text.remove_prefix(1);
  const auto offset = take_offset(text);
  const auto time = time_of_day(text);
  if (!time) return std::nullopt;
  const chrono::milliseconds rest(time->millisecond);
  const Period moment = offset ? whole(utc(*year, *month, *day, time->hour, time->minute, time->second) - *offset)
                               : local_moment(*year, *month, *day, *time);
  return Period{moment.begin + rest, moment.end + rest + time->precision};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return result;
}

}  // namespace

Period parse_date(std::string_view text, TimePoint now) {
  const std::string wanted = lower(text);
  if (const auto period = named_period(wanted, now)) return *period;
  if (const auto period = time_ago(wanted, now)) return *period;
  if (const auto period = iso_date(wanted)) return *period;
  throw std::invalid_argument(
      fmt::format("{0}{1}{0} is no date; expected today, yesterday, this or last week, month or year; 12h, 30d, 2w or "
                  "3 months ago; 2026, 2026-11, 2026-11-22 or 2026-11-22T10:00, in local time or with a zone as 10:00Z "
                  "or 10:00+01:00",
                  text.find('\'') == text.npos ? '\'' : '"', text));
}

std::string since_text(const std::string& date, TimePoint now) {
  return date.empty() ? "" : db::iso8601(parse_date(date, now).begin);
}

std::string until_text(const std::string& date, TimePoint now) {
  if (date.empty()) return "";
  const Period period = parse_date(date, now);
  return db::iso8601(period.end > period.begin ? period.end - chrono::milliseconds(1) : period.end);
}

}  // namespace warptune::tuner::cli
