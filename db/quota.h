// Says how much device time users of a shared store may spend on work, and what they have spent. Time is counted in
// device seconds: a session of a minute on eight GPUs has spent eight minutes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warptune::db {

// A period is the last 24 hours, 7 days or 30 days. It follows no calendar, so that nobody has to know whose Monday it
// is.
enum class QuotaPeriod { day, week, month };
std::string_view to_string(QuotaPeriod period);
std::optional<QuotaPeriod> quota_period_from_string(std::string_view text);

struct Quota {
  double device_s = 0;  // 0: nothing at all
  QuotaPeriod period = QuotaPeriod::week;
};

// A WorkUser is somebody who has work, has spent something, or has a quota.
struct WorkUser {
  std::string name;
  std::optional<Quota> quota;
  double day_s = 0, week_s = 0, month_s = 0;  // device seconds spent in the last day, week, month
  std::int64_t running_devices = 0, queued = 0;
  double reserved_s = 0;   // what running sessions may still spend, as far as they have a budget of time
  bool over = false;       // the quota is spent, or reserved: nothing more is given out
  std::string over_until;  // as the store writes times; empty if it is not over, or no end is known

  // Returns what was spent in the quota's period; in a week if there is no quota.
  double spent_s() const;
};

}  // namespace warptune::db
