// Builds the columns and cells of the list of winners, and groups trials by the hashes of their data and outputs.
#include "tuner/results/report/best_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "db/objective_value.h"
#include "db/settled.h"
#include "tuner/measure/metrics/pareto.h"
#include "tuner/measure/sampling/same_bits.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner {

namespace {

// Returns the speed-up of a shown trial over the default. It is for trials beside the winner: the winner's own is what
// every other output shows.
Cell speed_up_of(const db::StoredTrial& shown, const db::Settled& settled, db::Winner winner) {
  if (shown.id != winner.trial) winner.time_ms = settled.time_ms, winner.objective = settled.objective;
  const auto ratio = db::speed_up(winner);
  return ratio ? Cell(ratio_text(*ratio), *ratio) : Cell();
}

// Returns what differs from the default, where that was measured.
Cell configuration_of(const db::StoredTrial& shown, const db::BestRecord& best) {
  return configuration_cell(shown.values, best.default_trial ? best.default_trial->values : search::NamedValues{});
}

// Returns how far the winner is ahead of the first candidate that does not tie with it. The default configuration is in
// the finals however slow it is, and is no runner-up: SPEED UP tells of it.
Cell lead(const db::Winner& winner) {
  if (winner.finalists.empty() || winner.finalists.front().trial != winner.trial) return std::nullopt;
  for (const db::WinnerFinalist& finalist : winner.finalists)
    if (finalist.trial != winner.trial && finalist.trial != winner.default_trial &&
        std::ranges::find(winner.ties, finalist.trial) == winner.ties.end())
      return Cell(difference_text(finalist.slower_by, finalist.slower_low, finalist.slower_high), finalist.slower_by);
  return std::nullopt;
}

// Returns the cells of one of the configurations that a row of `best` stands for.
std::vector<Cell> cells_of(const db::BestRecord& best, const db::StoredTrial& shown) {
  const bool winner = shown.id == best.winner.trial;
  const db::Settled settled = db::settled(best.winner, shown);
  const db::SessionRecord& session = best.session;
  const std::vector<double> objectives = db::settled_objectives(session, best.winner, shown.id, shown.trial);
  return {best.session.key.kernel,
          best.session.key.device.name,
          best.session.key.problem(),
          time_cell(settled.time_ms),
          session.objective,
          objective_cell(session.objective, db::objective_value(settled.objective, session)),
          objectives.size() > 1 ? Cell(db::objective_values(objectives, session)) : std::nullopt,
          error_cell(settled.time_error),
          winner ? speed_up_cell(best.winner) : speed_up_of(shown, settled, best.winner),
          winner ? lead(best.winner) : std::nullopt,
          winner ? Cell(static_cast<std::int64_t>(best.winner.ties.size())) : std::nullopt,
          best.session.id,
          moment_cell(shown.recorded_at)};
}

}  // namespace

std::vector<db::StoredTrial> shown_trials(const db::BestRecord& best, const db::Store& store) {
  if (best.trial.trial.objectives.size() < 2) return {best.trial};
  std::vector<db::StoredTrial> stored = store.trials(best.session.id);
  std::vector<std::vector<double>> objectives;
  for (const db::StoredTrial& one : stored)
    objectives.push_back(db::settled_objectives(best.session, best.winner, one.id, one.trial));
  std::vector<db::StoredTrial> front;
  for (const std::size_t i : pareto_front(objectives)) front.push_back(std::move(stored[i]));
  return front;
}

bool lacks_runner_up(const db::Winner& winner) {
  return !winner.finalists.empty() && winner.finalists.front().trial == winner.trial &&
         std::ranges::all_of(winner.finalists, [&](const db::WinnerFinalist& finalist) {
           return finalist.trial == winner.trial || finalist.trial == winner.default_trial;
         });
}

Table best_table(const std::vector<BestRow>& rows, Columns wanted) {
  const bool stores = std::ranges::any_of(rows, [](const BestRow& row) { return !row.store.empty(); });
  std::vector<std::string> columns{"kernel", "device",  "problem_size",   "time_ms",  "objective",
                                   "value",  "values",  "relative_error", "speed_up", "ahead_by",
                                   "ties",   "session", "measured_at",    "differs"};
  const auto any = [&](auto says_something) {
    return wanted == Columns::all || std::ranges::any_of(rows, says_something);
  };
  const bool names = any([](const BestRow& row) { return !row.best.session.name.empty(); });
  const bool kinds = any([](const BestRow& row) { return kind_of(row.best.session) != db::SessionKind::measured; });
  const bool captures = any([](const BestRow& row) { return !row.best.session.key.capture.empty(); });
  if (names) columns.push_back("name");
  if (kinds) columns.push_back("kind");
  if (captures) columns.push_back("capture");
  if (stores) columns.push_back("store");
  columns.push_back("configuration");
  Table table(columns);
  table.heading("problem_size", "SIZE").heading("time_ms", "TIME").heading("relative_error", "ERROR");
  table.heading("measured_at", "MEASURED");
  if (std::ranges::all_of(rows, [](const BestRow& row) { return row.best.session.objective == "time"; }))
    table.only_for_programs({"objective", "value"});
  table.less_important({"values", "measured_at", "device", "ties", "ahead_by", "relative_error", "speed_up"});
  for (const BestRow& row : rows) {
    for (const db::StoredTrial& shown : row.shown) {
      auto cells = cells_of(row.best, shown);
      cells.push_back(row.differs.empty() ? std::nullopt : Cell(row.differs));
      const db::SessionRecord& session = row.best.session;
      if (names) cells.push_back(session.name.empty() ? std::nullopt : Cell(session.name));
      if (kinds) cells.emplace_back(std::string(to_string(kind_of(session))));
      if (captures) cells.push_back(capture_cell(session));
      if (stores) cells.emplace_back(row.store);
      cells.push_back(configuration_of(shown, row.best));
      table.add(std::move(cells));
    }
  }
  return table;
}

namespace {

// So many digits are enough to tell a session's classes apart; programs get all of them.
constexpr std::size_t shown_digits = 8;

}  // namespace

std::vector<BitsClass> bits_classes(const db::BestRecord& best, const std::vector<db::StoredTrial>& trials,
                                    std::size_t& without) {
  std::map<std::pair<std::string, std::string>, BitsClass> classes;
  without = 0;
  // A trial of a recording may have no time; it comes last.
  const auto rank = [&](const db::StoredTrial& trial) {
    const double time_ms = db::settled(best.winner, trial).time_ms.value_or(1e300);
    return std::pair(trial.id != best.winner.trial, time_ms);
  };
  for (const db::StoredTrial& stored : trials) {
    if (!stored.trial.correct() || !stored.trial.measurement) continue;
    if (!stored.trial.bits || stored.trial.bits->outputs.empty()) {
      ++without;
      continue;
    }
    const search::OutputBits& bits = *stored.trial.bits;
    BitsClass& one = classes[{bits.data, bits.outputs}];
    if (one.configurations++ == 0 || rank(stored) < rank(one.fastest)) one.fastest = stored;
    one.bits = bits;
    one.of_default |= best.default_trial && stored.id == best.default_trial->id;
  }
  std::vector<BitsClass> sorted;
  for (auto& [hashes, one] : classes) sorted.push_back(std::move(one));
  std::ranges::stable_sort(sorted, {}, [&](const BitsClass& one) { return rank(one.fastest).second; });
  return sorted;
}

Table classes_table(const std::vector<ClassesRow>& rows) {
  const bool stores = std::ranges::any_of(rows, [](const ClassesRow& row) { return !row.store.empty(); });
  std::vector<std::string> columns{"kernel",         "device",  "problem_size", "bits",           "data",    "time_ms",
                                   "relative_error", "default", "winner",       "configurations", "session", "trial"};
  if (stores) columns.push_back("store");
  columns.push_back("configuration");
  Table table(columns);
  table.heading("problem_size", "SIZE").heading("time_ms", "TIME").heading("relative_error", "ERROR");
  table.heading("configurations", "OF").only_for_programs({"data", "trial"});
  table.less_important({"device", "relative_error", "session", "winner"});
  for (const ClassesRow& row : rows)
    for (const BitsClass& one : row.classes) {
      const db::Settled settled = db::settled(row.best.winner, one.fastest);
      std::vector<Cell> cells{row.best.session.key.kernel,
                              row.best.session.key.device.name,
                              row.best.session.key.problem(),
                              Cell(one.bits.outputs.substr(0, shown_digits), one.bits.outputs),
                              one.bits.data,
                              time_cell(settled.time_ms),
                              error_cell(settled.time_error),
                              one.of_default,
                              one.fastest.id == row.best.winner.trial,
                              static_cast<std::int64_t>(one.configurations),
                              row.best.session.id,
                              one.fastest.id};
      if (stores) cells.emplace_back(row.store);
      cells.push_back(configuration_cell(
          one.fastest.values, row.best.default_trial ? row.best.default_trial->values : search::NamedValues{}));
      table.add(std::move(cells));
    }
  return table;
}

std::string same_bits_text(const std::string& wanted, const std::vector<db::StoredTrial>& trials) {
  if (wanted.empty()) return {};
  std::size_t correct = 0, eligible = 0;
  for (const db::StoredTrial& stored : trials) {
    correct += stored.trial.correct();
    eligible += may_win(stored.trial);
  }
  const std::string as = wanted == "default" ? "the default configuration" : "session " + wanted;
  if (correct == 1 && eligible == 1) return fmt::format("as {}: nothing else was correct", as);
  if (wanted == "default" && eligible == 1)
    return fmt::format("as {}: none of the {} other correct configurations has them, so that it wins", as, correct - 1);
  return fmt::format("as {}: {} of {} correct configurations", as, eligible, correct);
}

}  // namespace warptune::tuner
