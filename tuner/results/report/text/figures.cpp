// Rounds figures and chooses their units and words.
#include "tuner/results/report/text/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <utility>

#include "db/settled.h"
#include "db/timestamp.h"

namespace warptune::tuner {

namespace {

// From here on a difference is told as a factor: nobody reads 83600 %.
constexpr double twice = 1.0;

std::string percent(double share) {
  const double value = std::abs(share) * 100;
  return fmt::format("{}{:.{}f}", share < 0 ? "-" : "", value, value < 1 ? 2 : value < 10 ? 1 : 0);
}

std::string factor(double ratio) {
  return ratio < 9.995 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.0f}", ratio);
}

bool is_bounded(double low, double high) {
  return std::isfinite(low) && std::isfinite(high);
}

std::string bounds_of_factor(double low, double high) {
  if (!is_bounded(low, high)) return {};
  return fmt::format(" ({} to {})", factor(1 + low), factor(1 + high));
}

bool may_be_none(double low, double high) {
  return is_bounded(low, high) && low <= 0 && high >= 0;
}

// Returns a share above zero in percent, with its bounds where they are known.
std::string amount_text(double share, double low, double high) {
  if (!is_bounded(low, high)) return percent(share) + " %";
  const double error = std::max(share - low, high - share);
  // A ratio's interval may be lopsided: with ± it would reach below zero where it does not.
  if (share <= error) return fmt::format("{} % ({} to {} %)", percent(share), percent(low), percent(high));
  return fmt::format("{} % ± {} %", percent(share), percent(error));
}

// Returns a time in the unit in which it has one to three digits before the point.
std::pair<double, const char*> in_unit(double milliseconds) {
  if (milliseconds < 0.9995e-3) return {milliseconds * 1e6, " ns"};
  if (milliseconds < 0.9995) return {milliseconds * 1e3, " µs"};
  if (milliseconds < 0.9995e3) return {milliseconds, " ms"};
  return {milliseconds / 1e3, " s"};
}

}  // namespace

std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string duration_text(double milliseconds) {
  const auto [number, unit] = in_unit(milliseconds);
  return three_digits(number) + unit;
}

std::string exact_duration_text(double milliseconds) {
  const auto [number, unit] = in_unit(milliseconds);
  return fmt::format("{:.5g}{}", number, unit);
}

Cell time_cell(const std::optional<double>& milliseconds) {
  return milliseconds ? Cell(duration_text(*milliseconds), *milliseconds) : Cell();
}

Cell objective_cell(const std::string& objective, const std::optional<double>& value) {
  if (!value) return {};
  return db::first_objective(objective) == "time" ? time_cell(value) : Cell(three_digits(*value), *value);
}

std::string error_text(double relative_error) {
  const auto known = db::known_error(relative_error);
  return known ? fmt::format("± {} %", percent(*known)) : "± unknown";
}

Cell error_cell(double relative_error) {
  const auto known = db::known_error(relative_error);
  return known ? Cell(error_text(*known), *known) : Cell(error_text(relative_error), std::nullopt);
}

std::string difference_text(double difference, double low, double high) {
  if (may_be_none(low, high)) return "not separable";
  if (difference < 0) return amount_text(-difference, -high, -low) + " less";
  if (difference >= twice) return ratio_text(1 + difference) + bounds_of_factor(low, high);
  return amount_text(difference, low, high);
}

std::string slower_text(double difference, double low, double high, const std::string& objective) {
  if (may_be_none(low, high)) return "is not separable from it";
  const bool timed = db::first_objective(objective) == "time";
  if (difference < 0) {
    const std::string amount = amount_text(-difference, -high, -low);
    return timed ? fmt::format("takes {} less time", amount) : fmt::format("is {} better", amount);
  }
  if (difference < twice)
    return fmt::format("is {} {}", difference_text(difference, low, high), timed ? "slower" : "worse");
  return timed ? fmt::format("takes {} as long", difference_text(difference, low, high))
               : fmt::format("is worse by a factor of {}{}", factor(1 + difference), bounds_of_factor(low, high));
}

std::string ratio_text(double ratio) {
  return factor(ratio) + " times";
}

Cell speed_up_cell(const db::Winner& winner) {
  const auto ratio = db::speed_up(winner);
  if (!ratio) return {};
  if (!db::separable_from_default(winner)) return Cell("not separable", *ratio);
  return Cell(ratio_text(*ratio) + (db::is_of_search_alone(winner) ? " in search" : ""), *ratio);
}

std::string speed_up_text(const db::Winner& winner) {
  if (winner.default_trial == winner.trial) return "none: the default configuration is the best";
  const auto ratio = db::speed_up(winner);
  if (!ratio) return {};
  if (!db::separable_from_default(winner)) return "not separable from the default on this noisy device";
  return ratio_text(*ratio) +
         (db::is_of_search_alone(winner) ? " the default in the search, not confirmed by finals" : " the default");
}

std::string configuration_text(const search::NamedValues& values, const search::NamedValues& defaults) {
  search::NamedValues different;
  for (const auto& [name, value] : values) {
    const search::Value* usual = search::find_value(defaults, name);
    if (!usual || !search::same_value(*usual, value)) different.emplace_back(name, value);
  }
  return different.empty() ? "default" : search::to_text(different);
}

Cell configuration_cell(const search::NamedValues& values, const search::NamedValues& defaults) {
  return Cell(configuration_text(values, defaults), values);
}

bool is_silent(const db::SessionRecord& session, std::chrono::system_clock::time_point now) {
  constexpr std::chrono::minutes long_enough(10);
  return session.state == db::SessionState::running && session.updated_at < db::iso8601(now - long_enough);
}

std::string state_text(const db::SessionRecord& session) {
  return is_silent(session, std::chrono::system_clock::now()) ? "silent" : std::string(to_string(session.state));
}

Cell state_cell(const db::SessionRecord& session) {
  return Cell(state_text(session), std::string(to_string(session.state)));
}

std::string moment_text(const std::string& iso_8601) {
  std::tm utc{};
  if (!strptime(iso_8601.c_str(), "%Y-%m-%dT%H:%M:%S", &utc) || !iso_8601.ends_with('Z')) return iso_8601;
  const std::time_t moment = timegm(&utc);
  std::tm local{};
  localtime_r(&moment, &local);
  const long minutes = local.tm_gmtoff / 60, size = std::abs(minutes);
  const std::string zone =
      minutes == 0 ? "Z" : fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', size / 60, size % 60);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}{}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                     local.tm_hour, local.tm_min, zone);
}

Cell moment_cell(const std::string& iso_8601) {
  return iso_8601.empty() ? Cell() : Cell(moment_text(iso_8601), iso_8601);
}

std::string capture_text(const db::SessionRecord& session) {
  const std::string file = std::filesystem::path(session.capture_file).filename().string();
  return file.empty() ? session.key.capture.substr(0, 8) : file;
}

Cell capture_cell(const db::SessionRecord& session) {
  return session.key.capture.empty() ? Cell() : Cell(capture_text(session), session.key.capture);
}

}  // namespace warptune::tuner
