// Implements `warptune quota`, which limits how much device time users of a shared store may spend on work, and lists
// what they have spent. Writes such times in seconds, minutes or hours.
#include "tuner/program/cli/queue/quota.h"

#include <fmt/format.h>

#include "db/queue.h"
#include "db/quota.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
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

namespace {

constexpr char no_quota[] = "none";

struct QuotaArguments {
  std::string user, limit, period = "week";
};

CLI::Validator device_time() {
  const auto check = [](const std::string& text) -> std::string {
    if (text == no_quota || duration_s(text)) return {};
    return fmt::format("{}: expected device time (10h, 90m), 0h for nothing at all, or none for no quota", text);
  };
  return CLI::Validator(check, "");
}

Table table_of(const std::vector<db::WorkUser>& users, const std::string& only) {
  Table table({"user", "limit_s", "period", "spent_day_s", "spent_week_s", "spent_month_s", "running_devices",
               "reserved_s", "queued", "over_until", "message"});
  for (const db::WorkUser& user : users) {
    if (!only.empty() && user.name != only) continue;
    table.add({user.name, user.quota ? Cell(quota_text(*user.quota), user.quota->device_s) : Cell(),
               user.quota ? Cell(std::string(to_string(user.quota->period))) : Cell(), device_time_cell(user.day_s),
               device_time_cell(user.week_s), device_time_cell(user.month_s), user.running_devices,
               device_time_cell(user.reserved_s), user.queued, user.over_until.empty() ? Cell() : Cell(user.over_until),
               Cell(why_held_back(user))});
  }
  table.heading("limit_s", "QUOTA").heading("spent_day_s", "DAY").heading("spent_week_s", "WEEK");
  table.heading("spent_month_s", "MONTH").heading("running_devices", "RUNNING").heading("reserved_s", "RESERVED");
  return table.only_for_programs({"period", "over_until"}).less_important({"reserved_s", "spent_month_s"});
}

void change_quota(const QuotaArguments& options, db::WorkQueue& queue) {
  if (options.limit != no_quota)
    queue.set_quota(options.user,
                    {duration_s(options.limit).value(), db::quota_period_from_string(options.period).value()});
  else if (!queue.remove_quota(options.user))
    say(fmt::format("{} had no quota", options.user));
}

void run_quota(const QuotaArguments& options, Context& context) {
  const bool changes = !options.limit.empty();
  db::WorkQueue queue =
      db::WorkQueue::open(context.store_name(), changes ? db::OpenMode::read_write : db::OpenMode::read_only);
  if (changes) change_quota(options, queue);
  const Table table = table_of(queue.users(), options.user);
  if (table.empty() && !options.user.empty() && !changes)
    throw RequestError(
        fmt::format("'{}' has no quota and no work, and has spent nothing for 30 days; `warptune quota` "
                    "lists all who have",
                    options.user));
  context.print("quota", "users", table);
}

}  // namespace

void add_quota(CLI::App& program, Context& context) {
  CLI::App* verb =
      program.add_subcommand("quota", "Limit the device time of a shared store's users, and list what they have used");
  auto options = std::make_shared<QuotaArguments>();
  verb->add_option("user", options->user, "a user of the server; default: all are listed")->type_name("USER");
  CLI::Option* limit = verb->add_option("limit", options->limit,
                                        "device time, as 10h: an hour on ten GPUs; none: as much as there is. For "
                                        "owners of the store")
                           ->check(device_time())
                           ->type_name("TIME");
  verb->add_option("--per", options->period, "in the last 24 hours, 7 days or 30 days")
      ->check(one_of({"day", "week", "month"}))
      ->needs(limit)
      ->type_name("PERIOD")
      ->capture_default_str();
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(*verb, {{"who has spent how much", "warptune quota --db postgresql://db.site/tuning"},
                       {"ten hours of GPUs in any seven days", "warptune quota alice 10h --per week"},
                       {"no limit any more", "warptune quota alice none"}});
  verb->callback([options, &context] { run_quota(*options, context); });
}

}  // namespace warptune::tuner::cli
