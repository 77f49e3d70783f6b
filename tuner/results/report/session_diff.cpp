// Matches the trials of both sessions by their configurations.
#include "tuner/results/report/session_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "db/objective_value.h"
#include "tuner/results/report/text/figures.h"
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

// Adds one row. People read what it is about together with the configuration, which programs get as an object of its
// own.
void add_row(Table& table, std::string aspect, std::string item, Cell first, Cell second, Cell ratio = {}) {
  table.add({std::move(aspect), std::move(item), std::move(first), std::move(second), std::move(ratio), Cell()});
}

void add_row(Table& table, const std::string& item, const search::NamedValues& configuration, Cell first, Cell second,
             Cell ratio = {}) {
  table.add({"trials", Cell(fmt::format("{}: {}", item, search::to_text(configuration)), item), std::move(first),
             std::move(second), std::move(ratio), configuration});
}

// Returns a decimal count as a number where it is one that fits.
Cell count_cell(const std::string& decimal) {
  std::int64_t count = 0;
  const char* const end = decimal.data() + decimal.size();
  const auto read = std::from_chars(decimal.data(), end, count);
  return read.ec == std::errc() && read.ptr == end ? Cell(count) : Cell(decimal);
}

// Returns sizes and variants as values, and everything else of a key as its text.
Cell part_cell(const std::string& part, const std::string& text, const db::SessionKey& key) {
  if (part == "size") return Cell(text, key.problem_size);
  return part == "variants" ? Cell(text, key.variants) : Cell(text);
}

void add_setting(const ComparedSession& first, const ComparedSession& second, Table& table) {
  const auto row = [&](const std::string& item, const std::string& a, const std::string& b, auto cell) {
    if (a != b) add_row(table, "setting", item, cell(a), cell(b));
  };
  const auto text = [](const std::string& content) { return Cell(content); };
  const db::SessionRecord &a = first.session, &b = second.session;
  row("kernel", a.key.kernel, b.key.kernel, text);
  for (const KeyDifference& difference : key_differences(a.key, b.key))
    add_row(table, "setting", difference.part, part_cell(difference.part, difference.recorded, a.key),
            part_cell(difference.part, difference.today, b.key));
  row("strategy", a.strategy, b.strategy, text);
  row("seed", std::to_string(a.seed), std::to_string(b.seed), count_cell);
  row("objective", a.objective, b.objective, text);
  row("space", a.space_size, b.space_size, count_cell);
  row("version", a.tool_version, b.tool_version, text);
  row("origin", a.origin, b.origin, text);
}

void add_winner(const ComparedSession& first, const ComparedSession& second, Table& table) {
  const db::StoredTrial *a = winning_trial(first), *b = winning_trial(second);
  const auto objective = [](const ComparedSession& side) {
    if (!side.winner) return Cell();
    return objective_cell(side.session.objective, db::objective_value(side.winner->objective, side.session));
  };
  Cell ratio;
  const bool same = first.session.objective == second.session.objective;  // others cannot be compared
  if (a && b && same && first.winner->objective != 0) ratio = second.winner->objective / first.winner->objective;
  add_row(table, "winner", same ? first.session.objective : "objective", objective(first), objective(second), ratio);
  if (!a || !b) return;
  for (const auto& [name, value] : a->values) {
    const search::Value* other = search::find_value(b->values, name);
    if (!other || !search::same_value(value, *other)) add_row(table, "winner", name, value, cell_of(other));
  }
  for (const auto& [name, value] : b->values)
    if (!search::find_value(a->values, name)) add_row(table, "winner", name, std::nullopt, value);
}

// This is a configuration that both sessions tried.
struct Common {
  const db::StoredTrial* first;
  const db::StoredTrial* second;

  bool comparable() const {
    return first->trial.correct() && second->trial.correct() && first->trial.measurement && second->trial.measurement &&
           first->trial.measurement->median_ms > 0;
  }
  double ratio() const { return second->trial.measurement->median_ms / first->trial.measurement->median_ms; }
};

// Returns the values sorted by name, because another manifest may order its parameters and sizes otherwise.
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
  add_row(table, item, moved.first->values, time_cell(moved.first->trial.measurement->median_ms),
          time_cell(moved.second->trial.measurement->median_ms), moved.ratio());
}

void add_trials(const ComparedSession& first, const ComparedSession& second, Table& table) {
  const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
  const std::vector<Common> common = common_trials(first, second);
  add_row(table, "trials", "tried", count(first.trials.size()), count(second.trials.size()));
  add_row(table, "trials", "tried in both", count(common.size()), count(common.size()));
  for (const Common& one : common)
    if (one.first->trial.outcome != one.second->trial.outcome)
      add_row(table, "outcome", one.first->values, outcome_text(*one.first), outcome_text(*one.second));
  std::vector<Common> timed;
  std::ranges::copy_if(common, std::back_inserter(timed), &Common::comparable);
  if (timed.empty()) return;
  std::ranges::stable_sort(timed, {}, &Common::ratio);
  add_row(table, "trials", "median ratio of times", std::nullopt, std::nullopt, timed[timed.size() / 2].ratio());
  if (timed.front().ratio() < 1) add_moved("sped up most", timed.front(), table);
  if (timed.back().ratio() > 1) add_moved("slowed down most", timed.back(), table);
}

}  // namespace

Table session_diff(const ComparedSession& first, const ComparedSession& second) {
  Table table({"aspect", "item", "first", "second", "ratio", "configuration"});
  table.heading("ratio", "SECOND / FIRST").only_for_programs({"configuration"});
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
