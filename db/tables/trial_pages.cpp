// Finds the ids of a page in an index, and then loads its trials.
#include <fmt/format.h>

#include <algorithm>

#include "db/tables/trials.h"

namespace warptune::db {

namespace {

// Says which way a page is read from its edge.
struct Reading {
  TrialId edge = 0;  // not shown itself; 0: from the first trial on, or from the last one back
  bool forwards = true;
  const char* beyond() const { return forwards ? ">" : "<"; }
  const char* direction() const { return forwards ? "ASC" : "DESC"; }
};

// Returns the SQL for the numbers of one outcome's trials from the edge on.
std::string by_number(search::Outcome outcome, const Reading& reading) {
  const std::string edge =
      reading.edge == 0 ? "CAST(?2 AS BIGINT) IS NOT NULL" : fmt::format("id {} ?2", reading.beyond());
  return fmt::format(
      "SELECT * FROM (SELECT id FROM trials WHERE session_id = ?1 AND outcome = '{}' AND {} ORDER BY id {} LIMIT ?3)"
      " AS part",
      to_string(outcome), edge, reading.direction());
}

// Returns the SQL for the numbers of all trials. Each outcome's numbers lie sorted in the index, so merging them reads
// no more than a page of each.
std::string all_by_number(const Reading& reading) {
  std::string sql;
  for (const search::Outcome outcome : search::all_outcomes())
    sql += (sql.empty() ? "" : " UNION ALL ") + by_number(outcome, reading);
  return sql + fmt::format(" ORDER BY id {} LIMIT ?3", reading.direction());
}

// Returns the SQL for the numbers of the correct trials by their objective, equal ones by their numbers.
std::string by_objective(const Reading& reading) {
  const std::string edge =
      reading.edge == 0
          ? "CAST(?2 AS BIGINT) IS NOT NULL"
          : fmt::format("(objective, id) {} ((SELECT objective FROM trials WHERE id = ?2), ?2)", reading.beyond());
  return fmt::format(
      "SELECT id FROM trials WHERE session_id = ?1 AND outcome = 'correct' AND objective IS NOT NULL AND {0}"
      " ORDER BY objective {1}, id {1} LIMIT ?3",
      edge, reading.direction());
}

std::string page_sql(const TrialPageRequest& request, const Reading& reading) {
  if (request.order == TrialOrder::best) return by_objective(reading);
  return request.outcome ? by_number(*request.outcome, reading) : all_by_number(reading);
}

std::vector<TrialId> numbers(Connection& connection, SessionId session, const TrialPageRequest& request,
                             const Reading& reading, std::size_t limit) {
  Query select = connection.query(page_sql(request, reading));
  select.bind(session).bind(reading.edge).bind(static_cast<std::int64_t>(limit));
  std::vector<TrialId> found;
  while (select.step()) found.push_back(select.integer());
  return found;
}

}  // namespace

TrialPage load_trial_page(Connection& connection, SessionId session, const TrialPageRequest& request) {
  const bool back = request.before.has_value();
  const Reading reading{back ? *request.before : request.after.value_or(0), !back};
  // One more than is shown tells whether something follows.
  std::vector<TrialId> found = numbers(connection, session, request, reading, request.limit + 1);
  const bool more = found.size() > request.limit;
  if (more) found.pop_back();
  if (back) std::ranges::reverse(found);
  TrialPage page;
  for (const TrialId id : found)
    if (auto trial = load_trial(connection, id)) page.trials.push_back(std::move(*trial));
  const auto any_beyond = [&](TrialId edge, bool forwards) {
    return !numbers(connection, session, request, {edge, forwards}, 1).empty();
  };
  page.more_after = back ? !found.empty() && any_beyond(found.back(), true) : more;
  page.more_before = back ? more : !found.empty() && any_beyond(found.front(), false);
  return page;
}

std::map<search::Outcome, std::int64_t> load_outcome_counts(Connection& connection, SessionId session) {
  Query select = connection.query("SELECT outcome, trials FROM outcome_counts WHERE session_id = ? AND trials > 0");
  select.bind(session);
  std::map<search::Outcome, std::int64_t> counts;
  while (select.step()) {
    const auto outcome = search::outcome_from_string(select.text());
    counts[outcome.value_or(search::Outcome::crash)] += select.integer();
  }
  return counts;
}

}  // namespace warptune::db
