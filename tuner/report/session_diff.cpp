#include "tuner/report/session_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tuner/report/figures.h"
#include "tuner/session/provenance.h"

namespace warptune::tuner {

namespace {

const db::StoredTrial* find(const ComparedSession& side, db::TrialId id) {
  const auto found = std::ranges::find(side.trials, id, &db::StoredTrial::id);
  return found == side.trials.end() ? nullptr : &*found;
}

const db::StoredTrial* winning_trial(const ComparedSession& side) {
  return side.winner ? find(side, side.winner->trial) : nullptr;
}

Cell cell_of(const search::Value* value) {
  return value ? Cell(*value) : Cell();
}

void add_setting(const ComparedSession& first, const ComparedSession& second, Table& table) {
  const auto row = [&](const std::string& item, const std::string& a, const std::string& b) {
    if (a != b) table.add({"setting", item, a, b, std::nullopt});
  };
  const db::SessionRecord &a = first.session, &b = second.session;
  row("kernel", a.key.kernel, b.key.kernel);
  for (const KeyDifference& difference : key_differences(a.key, b.key))
    row(difference.part, difference.recorded, difference.today);
  row("strategy", a.strategy, b.strategy);
  row("seed", std::to_string(a.seed), std::to_string(b.seed));
  row("objective", a.objective, b.objective);
  row("space", a.space_size, b.space_size);
  row("version", a.tool_version, b.tool_version);
  row("origin", a.origin, b.origin);
}

void add_winner(const ComparedSession& first, const ComparedSession& second, Table& table) {
  const db::StoredTrial *a = winning_trial(first), *b = winning_trial(second);
  const auto objective = [](const ComparedSession& side) {
    return side.winner ? objective_cell(side.session.objective, std::abs(side.winner->objective)) : Cell();
  };
  Cell ratio;
  const bool same = first.session.objective == second.session.objective;  // others cannot be compared
  if (a && b && same && first.winner->objective != 0) ratio = second.winner->objective / first.winner->objective;
  table.add({"winner", same ? first.session.objective : "objective", objective(first), objective(second), ratio});
  if (!a || !b) return;
  for (const auto& [name, value] : a->values) {
    const search::Value* other = search::find_value(b->values, name);
    if (!other || !search::same_value(value, *other)) table.add({"winner", name, value, cell_of(other), std::nullopt});
  }
  for (const auto& [name, value] : b->values)
    if (!search::find_value(a->values, name)) table.add({"winner", name, std::nullopt, value, std::nullopt});
}

// A configuration that both sessions tried.
struct Common {
  const db::StoredTrial* first;
  const db::StoredTrial* second;

  bool comparable() const {
    return first->trial.correct() && second->trial.correct() && first->trial.measurement && second->trial.measurement &&
           first->trial.measurement->median_ms > 0;
  }
  double ratio() const { return second->trial.measurement->median_ms / first->trial.measurement->median_ms; }
};

// Another manifest may order its parameters and sizes otherwise.
std::string sorted_text(search::NamedValues values) {
  std::ranges::sort(values, {}, [](const auto& pair) { return pair.first; });
  return search::to_text(values);
}

std::vector<Common> common_trials(const ComparedSession& first, const ComparedSession& second) {
  std::map<std::string, const db::StoredTrial*> known;
  for (const db::StoredTrial& trial : first.trials) known.emplace(sorted_text(trial.values), &trial);
  std::vector<Common> common;
  for (const db::StoredTrial& trial : second.trials)
    if (const auto found = known.find(sorted_text(trial.values)); found != known.end())
      common.push_back({found->second, &trial});
  return common;
}

std::string outcome_text(const db::StoredTrial& stored) {
  return std::string(to_string(stored.trial.outcome));
}

void add_moved(const char* item, const Common& moved, Table& table) {
  table.add({"trials", fmt::format("{}: {}", item, search::to_text(moved.first->values)),
             time_cell(moved.first->trial.measurement->median_ms),
             time_cell(moved.second->trial.measurement->median_ms), moved.ratio()});
}

void add_trials(const ComparedSession& first, const ComparedSession& second, Table& table) {
  const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
  const std::vector<Common> common = common_trials(first, second);
  table.add({"trials", "tried", count(first.trials.size()), count(second.trials.size()), std::nullopt});
  table.add({"trials", "tried in both", count(common.size()), count(common.size()), std::nullopt});
  for (const Common& one : common)
    if (one.first->trial.outcome != one.second->trial.outcome)
      table.add({"trials", "outcome: " + search::to_text(one.first->values), outcome_text(*one.first),
                 outcome_text(*one.second), std::nullopt});
  std::vector<Common> timed;
  std::ranges::copy_if(common, std::back_inserter(timed), &Common::comparable);
  if (timed.empty()) return;
  std::ranges::stable_sort(timed, {}, &Common::ratio);
  table.add({"trials", "median ratio of times", std::nullopt, std::nullopt, timed[timed.size() / 2].ratio()});
  if (timed.front().ratio() < 1) add_moved("sped up most", timed.front(), table);
  if (timed.back().ratio() > 1) add_moved("slowed down most", timed.back(), table);
}

}  // namespace

Table session_diff(const ComparedSession& first, const ComparedSession& second) {
  Table table({"aspect", "item", "first", "second", "ratio"});
  table.heading("ratio", "SECOND / FIRST");
  add_setting(first, second, table);
  add_winner(first, second, table);
  add_trials(first, second, table);
  return table;
}

std::string size_note(const ComparedSession& first, const ComparedSession& second) {
  const search::NamedValues &a = first.session.key.problem_size, &b = second.session.key.problem_size;
  if (sorted_text(a) == sorted_text(b)) return {};
  return fmt::format("the times are of different problem sizes: {} in the first session, {} in the second",
                     search::to_text(a), search::to_text(b));
}

}  // namespace warptune::tuner
