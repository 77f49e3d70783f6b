// Writes device time in seconds, minutes or hours.
#include "tuner/program/cli/queue/quota_text.h"

#include <fmt/format.h>

#include "tuner/results/report/text/figures.h"

namespace warptune::tuner::cli {

namespace {

// Returns short numbers as somebody wrote them: 10 h and not 10.0 h.
std::string number_text(double number) {
  const std::string short_text = fmt::format("{:.10g}", number);
  return short_text.size() <= 4 ? short_text : three_digits(number);
}

}  // namespace

std::string device_time_text(double seconds) {
  if (seconds >= 3600) return number_text(seconds / 3600) + " h";
  if (seconds >= 60) return number_text(seconds / 60) + " min";
  return number_text(seconds) + " s";
}

Cell device_time_cell(double seconds) {
  return Cell(device_time_text(seconds), seconds);
}

std::string quota_text(const db::Quota& quota) {
  return fmt::format("{} a {}", device_time_text(quota.device_s), to_string(quota.period));
}

std::optional<std::string> why_held_back(const db::WorkUser& user) {
  if (!user.over || !user.quota) return std::nullopt;
  if (user.spent_s() < user.quota->device_s)
    return fmt::format("what runs may spend the rest of the quota of {}", quota_text(*user.quota));
  const std::string until = user.over_until.empty() ? "" : " until " + moment_text(user.over_until);
  return fmt::format("over the quota of {}{}", quota_text(*user.quota), until);
}

}  // namespace warptune::tuner::cli
