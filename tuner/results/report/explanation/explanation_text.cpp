// Writes the parts of an explanation as sentences and tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "db/settled.h"
#include "tuner/device/compile/compiler_log.h"
#include "tuner/results/report/explanation/explanation.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/launch_view.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner {

namespace {

constexpr std::size_t shown_pairs = 5, shown_constraints = 5;
constexpr double worth_naming = 0.01;

std::string whole_percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// Says how much more something costs: "12 %", from twice on "2.10 times"; "24 % less" of what is faster.
std::string cost_text(double cost) {
  if (cost < 0) return whole_percent(-cost) + " less";
  return cost < 1 ? whole_percent(cost) : ratio_text(1 + cost);
}

std::string joined_values(const std::vector<search::Value>& values) {
  std::vector<std::string> texts;
  for (const search::Value& value : values) texts.push_back(search::to_text(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Returns a change as "64: 12 % ± 1 %", "256: compile_error" or "512: excluded".
std::string change_text(const Change& change) {
  const std::string value = search::to_text(change.value) + ": ";
  if (change.state == Change::State::untried) return value + "not tried";
  if (change.state == Change::State::excluded) return value + "excluded";
  if (change.state == Change::State::failed) return value + std::string(to_string(change.outcome));
  if (!change.difference) return value + "measured, without this objective";
  const auto& [estimate, low, high] = *change.difference;
  if (change.rough) return value + "about " + cost_text(estimate);
  return value + difference_text(estimate, low, high);
}

// Lists the other values of a parameter. Excluded values come last, in one entry.
std::string others_text(const ParameterChanges& changes) {
  std::vector<std::string> texts;
  std::vector<search::Value> excluded;
  for (const Change& change : changes.changes) {
    if (change.state == Change::State::excluded)
      excluded.push_back(change.value);
    else
      texts.push_back(change_text(change));
  }
  if (!excluded.empty()) texts.push_back(joined_values(excluded) + ": excluded");
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string no_winner_text(const Evidence& evidence) {
  const auto is_correct = [](const db::StoredTrial& one) { return one.trial.correct(); };
  const auto correct = static_cast<std::size_t>(std::ranges::count_if(evidence.trials, is_correct));
  if (correct == 0) return "There is no winner: no configuration was correct.";
  return fmt::format(
      "There is no winner yet: the session did not end. Its {} {} kept, and the same `warptune tune` goes "
      "on with {}.",
      counted(correct, "correct trial"), correct == 1 ? "is" : "are", correct == 1 ? "it" : "them");
}

// Writes the parts of an explanation, one after another.
class Text {
 public:
  Text(const Evidence& evidence, const Explanation& explanation, std::size_t width)
      : evidence_(evidence), explanation_(explanation), width_(width) {}

  std::string all(const ExplainedTrial& trial);

 private:
  void heading(const std::string& text) { text_ += (text_.empty() ? "" : "\n") + text + '\n'; }
  void sentence(const std::string& text) { text_ += "  " + wrapped_text(text, width_, 2) + '\n'; }
  void table(const Table& table) { text_ += table.render(Format::table, width_); }

  void header();
  void trial_part(const ExplainedTrial& trial);
  void standing(const TrialView& view);
  void roofline(const TrialView& view);
  void changes();
  void pairs();
  void importance();
  void failures();
  void search_space();
  void accuracy();
  void next();

  const Evidence& evidence_;
  const Explanation& explanation_;
  std::size_t width_;
  std::string text_;
};

void Text::header() {
  const db::SessionKey& key = evidence_.session.key;
  text_ +=
      wrapped_text(fmt::format("session {}: {}{} on {}", evidence_.session.id, key.kernel,
                               key.problem().empty() ? "" : " for " + search::to_text(key.problem()), key.device.name),
                   width_, 0) +
      '\n';
  const db::StoredTrial* winner = evidence_.winning();
  if (!winner) return sentence(no_winner_text(evidence_));
  const db::Settled settled = db::settled(evidence_.winner, *winner);
  std::string text = fmt::format("winner: trial {}", winner->id);
  if (settled.time_ms) text += fmt::format(", {} {}", duration_text(*settled.time_ms), error_text(settled.time_error));
  if (const std::string ratio = speed_up_text(*evidence_.winner); !ratio.empty()) text += ", " + ratio;
  sentence(text);
  sentence(search::to_text(winner->values));
}

void Text::roofline(const TrialView& view) {
  if (!view.attainment) return;
  const Attainment& attained = *view.attainment;
  sentence(fmt::format("It reaches {}.", attainment_text(attained, evidence_.roofs)));
  const std::string_view title = roof_kind(attained.nearest().roof).title;
  if (attained.nearest().share > 1)
    sentence(fmt::format("More than {} allows: some of it comes from caches, or the stated work is more than is done.",
                         title));
  else if (attained.bound)
    sentence(
        fmt::format("It is bound by {}: at that roof it would take {}.", title, duration_text(*view.roof_time_ms)));
  else
    sentence(fmt::format(
        "No roof is near: below {} of each, latency, launches, copies or too few threads are what it waits "
        "for, or traffic beyond the stated minimum. The nearest is {}; --counters tells which unit is busy.",
        whole_percent(least_share_that_binds), title));
}

void Text::standing(const TrialView& view) {
  const search::NamedValues& limits = evidence_.session.key.device.limits;
  const std::size_t before = text_.size();
  for (const LaunchView& launch : view.launches) {
    const std::string name = launch.launch.kernel.empty() ? "" : launch.launch.kernel + ": ";
    sentence(name + use_text(launch.launch));
    sentence(residency_name(limits) + ": " + residency_text(launch, limits));
  }
  roofline(view);
  if (text_.size() == before)
    sentence(
        fmt::format("Its resources are not known: it did not run to its end, or is from a recording. `warptune show "
                    "--trial {}` prints its launches.",
                    view.trial));
}

void Text::trial_part(const ExplainedTrial& trial) {
  heading(fmt::format("Trial {}", trial.trial->id));
  if (!trial.trial->trial.correct())
    sentence(fmt::format("It failed: {}. {}", to_string(trial.trial->trial.outcome), trial.trial->trial.message));
  if (const auto difference = cost_beside_winner(evidence_, *trial.trial); difference && !trial.differences.empty())
    sentence(fmt::format(
        "It {}.", slower_text(difference->estimate, difference->low, difference->high, evidence_.session.objective)));
  standing(trial.view);
  if (trial.differences.empty()) return;
  Table table({"parameter", "here", "winner", "alone"});
  for (const TrialDifference& one : trial.differences)
    table.add({one.parameter, search::to_text(one.value), search::to_text(one.winners),
               one.alone ? Cell(change_text(*one.alone)) : Cell("not measured alone")});
  this->table(table);
}

void Text::changes() {
  heading("What single changes of the winner cost");
  Table table({"parameter", "winner", "others"});
  std::vector<std::string> fixed;
  for (const ParameterChanges& one : explanation_.changes) {
    if (one.count(Change::State::excluded) == one.changes.size())
      fixed.push_back(one.parameter);
    else
      table.add({one.parameter, search::to_text(one.value), others_text(one)});
  }
  if (!table.empty()) this->table(table);
  if (!fixed.empty())
    sentence(fmt::format("Constraints exclude every other value, as long as the rest stays, of {}.",
                         fmt::join(fixed, ", ")));
}

void Text::pairs() {
  const Interactions& found = explanation_.interactions;
  if (found.pairs == 0) return;
  heading("Pairs of changes");
  sentence(fmt::format("{} {} measured alone and together. {} cost{} something else than the product of both.",
                       counted(found.pairs, "pair"), found.pairs == 1 ? "was" : "were",
                       found.strong.empty() ? "None" : std::to_string(found.strong.size()),
                       found.strong.size() < 2 ? "s" : ""));
  if (found.strong.empty()) return;
  Table table({"one", "costs", "other", "its_cost", "together", "expected"});
  table.heading("its_cost", "COSTS");
  for (std::size_t i = 0; i < std::min(shown_pairs, found.strong.size()); ++i) {
    const Interaction& one = found.strong[i];
    const auto name = [](const Interaction::Side& side) { return side.parameter + "=" + search::to_text(side.value); };
    table.add({name(one.a), cost_text(one.a.cost), name(one.b), cost_text(one.b.cost), cost_text(one.together),
               cost_text(one.expected)});
  }
  this->table(table);
}

void Text::importance() {
  const ImportanceReport& report = explanation_.importance;
  heading("Which parameters matter");
  if (report.trials < least_trials_for_importance)
    return sentence(fmt::format("{} {} too few to say.", counted(report.trials, "correct trial"),
                                report.trials == 1 ? "is" : "are"));
  if (report.parameters.empty())
    return sentence(
        fmt::format("A model of {} trials explains {} of the variance of trials that it has not seen: too "
                    "little to be asked.",
                    report.trials, whole_percent(std::max(0.0, report.explained))));
  sentence(
      fmt::format("A model of {} trials explains {} of the variance of trials that it has not seen, and is half the "
                  "time within {}. Without a parameter's value it would explain less by:",
                  report.trials, whole_percent(report.explained), whole_percent(report.median_error)));
  std::vector<std::string> none;
  Table table({"parameter", "less"});
  for (const Importance& one : report.parameters) {
    if (one.loss < worth_naming)
      none.push_back(one.parameter);
    else
      table.add({one.parameter, Cell(whole_percent(one.loss), one.loss)});
  }
  this->table(table);
  if (!none.empty()) sentence(fmt::format("Hardly anything: {}.", fmt::join(none, ", ")));
}

void Text::failures() {
  for (const search::Outcome outcome : search::all_outcomes()) {
    const auto is = [&](const db::StoredTrial& one) { return !one.trial.correct() && one.trial.outcome == outcome; };
    const auto count = std::ranges::count_if(evidence_.trials, is);
    if (count == 0) continue;
    const std::string reason = failure_text(std::ranges::find_if(evidence_.trials, is)->trial);
    sentence(fmt::format("{} ended as {}{}", count, to_string(outcome), reason.empty() ? "." : ", as with: " + reason));
  }
}

void Text::search_space() {
  heading("What was tried");
  const SearchProgress& progress = explanation_.progress;
  std::string text = fmt::format("{}, {} correct", counted(progress.trials, "trial"), progress.correct);
  if (!evidence_.session.space_size.empty())
    text += fmt::format(", of {} valid configurations", evidence_.session.space_size);
  if (progress.best_after > 0) text += fmt::format("; the search's best was number {}", progress.best_after);
  sentence(text + ".");
  failures();
  if (progress.trials == 0) return;
  for (const ParameterCoverage& one : explanation_.coverage) {
    if (const auto untried = one.untried(); !untried.empty())
      sentence(fmt::format("Never tried: {} = {}.", one.parameter, joined_values(untried)));
    if (const auto wrong = one.never_correct(); !wrong.empty())
      sentence(fmt::format("Never correct: {} = {}.", one.parameter, joined_values(wrong)));
  }
  if (!explanation_.exclusions) return;
  const Exclusions& excluded = *explanation_.exclusions;
  if (excluded.constraints.empty()) return;
  sentence(fmt::format("Constraints leave {} of {} combinations. Alone they reject:", excluded.valid,
                       excluded.combinations));
  Table table({"share", "constraint"});
  for (std::size_t i = 0; i < std::min(shown_constraints, excluded.constraints.size()); ++i)
    table.add({Cell(whole_percent(excluded.constraints[i].share), excluded.constraints[i].share),
               excluded.constraints[i].constraint});
  this->table(table);
}

void Text::accuracy() {
  if (!explanation_.accuracy) return;
  heading("Time and accuracy");
  sentence(fmt::format("Slower trials whose {} is smaller:", explanation_.accuracy->metric));
  Table table({"trial", "time_ms", "error"});
  table.heading("time_ms", "TIME").heading("error", explanation_.accuracy->metric);
  for (const AccuracyFront::Point& point : explanation_.accuracy->front)
    table.add({point.trial, time_cell(point.time_ms), Cell(three_digits(point.error), point.error)});
  this->table(table);
}

void Text::next() {
  if (explanation_.advice.empty()) return;
  heading("What to try next");
  for (const Advice& one : explanation_.advice) text_ += "- " + wrapped_text(advice_text(one), width_, 2) + '\n';
}

std::string Text::all(const ExplainedTrial& trial) {
  header();
  if (trial.trial) {
    trial_part(trial);
    return std::move(text_);
  }
  if (explanation_.winner) {
    heading("What the winner uses, and what limits it");
    standing(*explanation_.winner);
    if (!explanation_.changes.empty()) changes();
    pairs();
    importance();
  }
  search_space();
  accuracy();
  next();
  return std::move(text_);
}

}  // namespace

std::string explanation_text(const Evidence& evidence, const Explanation& explanation, const ExplainedTrial& trial,
                             std::size_t width) {
  return Text(evidence, explanation, width).all(trial);
}

}  // namespace warptune::tuner
