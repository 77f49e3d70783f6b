// Groups trials by the hashes of their data and outputs.
#include "tuner/results/report/bits_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "db/settled.h"
#include "tuner/measure/sampling/same_bits.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner {

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
