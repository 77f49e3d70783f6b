// Builds the SQL over claims, spending and quotas that the queue and its lists use.
#include "db/store/work_users.h"

#include <fmt/format.h>

#include <array>

namespace warptune::db {

namespace {

struct NamedPeriod {
  QuotaPeriod period;
  std::string_view name;
  int hours;
};
constexpr std::array<NamedPeriod, 3> periods = {
    {{QuotaPeriod::day, "day", 24}, {QuotaPeriod::week, "week", 7 * 24}, {QuotaPeriod::month, "month", 30 * 24}}};

// Returns the SQL for the time since when hours count. What is spent in an hour leaves a period all at once, when the
// beginning of the hour leaves it.
std::string since(QuotaPeriod period) {
  return fmt::format("now() - interval '{} hours'", periods.at(static_cast<std::size_t>(period)).hours);
}

// Returns "CASE x WHEN 'day' THEN …", which is one of three texts by a column that holds a period.
std::string by_period(const std::string& column, const std::array<std::string, 3>& texts) {
  std::string sql = "CASE " + column;
  for (std::size_t i = 0; i < periods.size(); ++i) sql += fmt::format(" WHEN '{}' THEN {}", periods[i].name, texts[i]);
  return sql + " END";
}

// Returns the SQL for when a user `u` beyond a quota may go on: when so many hours will have left the period that the
// rest is within the quota. Running work may put it off.
std::string over_until() {
  std::array<std::string, 3> lengths;
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = fmt::format("interval '{} hours'", periods[i].hours);
  const std::string length = by_period("u.period", lengths);
  return "(SELECT to_char(min(b.hour + " + length +
         ") AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') FROM (SELECT s.hour, coalesce(sum(s.device_s) OVER"
         " (ORDER BY s.hour DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS later FROM work_spending s"
         " WHERE s.submitter = u.submitter AND s.hour > now() - " +
         length + ") b WHERE b.later < u.limit_s AND " + by_period("u.period", {"u.day_s", "u.week_s", "u.month_s"}) +
         " >= u.limit_s)";
}

std::string make_with_users() {
  return fmt::format(
      "WITH held AS MATERIALIZED ({}),"
      // Work whose worker is gone is left out, since nothing is at work on it.
      " at_work AS (SELECT w.submitted_by AS submitter, CAST(sum(w.devices) AS BIGINT) AS devices,"
      " sum(greatest(coalesce(w.budget_s, 0) - w.spent_s, 0) * w.devices) AS reserved_s"
      " FROM work w JOIN held USING (id) WHERE w.state = 'running' GROUP BY 1),"
      " spent AS (SELECT submitter, sum(device_s) FILTER (WHERE hour > {}) AS day_s,"
      " sum(device_s) FILTER (WHERE hour > {}) AS week_s, sum(device_s) AS month_s"
      " FROM work_spending WHERE hour > {} GROUP BY 1),"
      " known AS (SELECT submitter, coalesce(a.devices, 0) AS devices, coalesce(a.reserved_s, 0) AS reserved_s,"
      " coalesce(s.day_s, 0) AS day_s, coalesce(s.week_s, 0) AS week_s, coalesce(s.month_s, 0) AS month_s,"
      " q.device_s AS limit_s, q.period"
      " FROM at_work a FULL JOIN spent s USING (submitter) FULL JOIN work_quotas q USING (submitter)),"
      " users AS (SELECT known.*, coalesce({} + reserved_s >= limit_s, FALSE) AS over FROM known)",
      locks_of_claims(), since(QuotaPeriod::day), since(QuotaPeriod::week), since(QuotaPeriod::month),
      by_period("period", {"day_s", "week_s", "month_s"}));
}

WorkUser read_user(Query& row) {
  WorkUser user;
  user.name = row.text();
  user.running_devices = row.integer();
  user.queued = row.integer();
  for (double* seconds : {&user.reserved_s, &user.day_s, &user.week_s, &user.month_s}) *seconds = row.real();
  const std::optional<double> limit = row.optional_real();
  const auto period = quota_period_from_string(row.text());
  if (limit && period) user.quota = Quota{*limit, *period};
  user.over = row.integer() != 0;
  user.over_until = row.text();
  return user;
}

bool yes(Connection& connection, const std::string& sql, const std::string& parameter) {
  Query query = connection.query(sql);
  query.bind(parameter);
  return query.step();
}

// Refuses a user who is no owner. The server refuses too, but in words that do not say what to do.
void require_owner(Connection& connection) {
  if (yes(connection, "SELECT 1 WHERE has_table_privilege(CAST(? AS TEXT), 'INSERT, UPDATE')", "work_quotas")) return;
  throw StoreError(StoreError::Cause::read_only,
                   fmt::format("cannot set a quota in the store {}: only its owners may; ask one of them, or let one "
                               "run `warptune grant owner NAME`",
                               connection.file().string()));
}

void require_login(Connection& connection, const std::string& user) {
  if (yes(connection, "SELECT 1 FROM pg_roles WHERE rolname = ? AND rolcanlogin", user)) return;
  const bool is_group = yes(connection, "SELECT 1 FROM pg_roles WHERE rolname = ?", user);
  throw StoreError(
      StoreError::Cause::other,
      fmt::format("cannot set a quota in the store {}: {}", connection.file().string(),
                  is_group ? fmt::format("'{}' is a group, and work is submitted by users; name one of them", user)
                           : fmt::format("the server has no user '{}'; `warptune quota` lists those who have work, and "
                                         "psql's \\du all",
                                         user)));
}

}  // namespace

std::string_view to_string(QuotaPeriod period) {
  return periods.at(static_cast<std::size_t>(period)).name;
}

std::optional<QuotaPeriod> quota_period_from_string(std::string_view text) {
  for (const NamedPeriod& one : periods)
    if (one.name == text) return one.period;
  return std::nullopt;
}

double WorkUser::spent_s() const {
  switch (quota ? quota->period : QuotaPeriod::week) {
    case QuotaPeriod::day:
      return day_s;
    case QuotaPeriod::week:
      return week_s;
    default:
      return month_s;
  }
}

std::string locks_of_claims() {
  return fmt::format(
      "SELECT CAST(l.objid AS BIGINT) AS id FROM pg_locks l WHERE l.locktype = 'advisory' AND l.classid = {}"
      " AND l.objsubid = 2 AND l.granted"
      " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      claim_locks);
}

const std::string& with_users() {
  static const std::string sql = make_with_users();
  return sql;
}

std::vector<WorkUser> work_users(Connection& connection) {
  static const std::string sql =
      with_users() +
      ", waiting AS (SELECT submitted_by AS submitter, count(*) AS queued FROM work WHERE state = 'queued' GROUP BY 1)"
      " SELECT submitter, coalesce(u.devices, 0), coalesce(w.queued, 0), coalesce(u.reserved_s, 0),"
      " coalesce(u.day_s, 0), coalesce(u.week_s, 0), coalesce(u.month_s, 0), u.limit_s, coalesce(u.period, ''),"
      " CASE WHEN u.over THEN 1 ELSE 0 END, " +
      over_until() + " FROM users u FULL JOIN waiting w USING (submitter) ORDER BY submitter";
  std::vector<WorkUser> users;
  Query select = connection.query(sql);
  while (select.step()) users.push_back(read_user(select));
  return users;
}

void set_quota(Connection& connection, const std::string& user, const Quota& quota) {
  require_owner(connection);
  require_login(connection, user);
  Query insert = connection.query(
      "INSERT INTO work_quotas (submitter, device_s, period) VALUES (?, ?, ?)"
      " ON CONFLICT (submitter) DO UPDATE SET device_s = EXCLUDED.device_s, period = EXCLUDED.period");
  insert.bind(user).bind(quota.device_s).bind(std::string(to_string(quota.period))).run();
}

bool remove_quota(Connection& connection, const std::string& user) {
  require_owner(connection);
  return connection.query("DELETE FROM work_quotas WHERE submitter = ?").bind(user).run() > 0;
}

}  // namespace warptune::db
