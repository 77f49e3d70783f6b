// Draws the progress of a session on a terminal, or says it in plain lines.
#include "tuner/program/cli/grammar/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/device/compile/compiler_log.h"
#include "tuner/program/cli/grammar/context.h"
#include "tuner/results/report/session_report.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/wrap.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::cli {

namespace {

constexpr double first_quiet_s = 10, most_quiet_s = 300;  // between plain lines without an improvement
constexpr double redraw_s = 0.1;
constexpr double long_step_s = 2;  // shorter steps are not reported where there is no terminal

// Returns " (--size rows=64k)", with a sixteenth of the largest size; empty where there is nothing to make smaller.
std::string smaller_size(const search::NamedValues& sizes) {
  constexpr std::int64_t part = 16, kilo = 1024;
  std::string text;
  std::int64_t largest = part;
  for (const auto& [name, value] : sizes) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (!number || *number <= largest) continue;
    largest = *number;
    const std::int64_t less = largest / part;
    text = less % kilo == 0 ? fmt::format(" (--size {}={}k)", name, less / kilo)
                            : fmt::format(" (--size {}={})", name, less);
  }
  return text;
}

}  // namespace

Progress::Progress() : interactive_(interactive()), unicode_(has_unicode()), quiet_s_(first_quiet_s) {}

Progress::~Progress() {
  finish();
}

void Progress::set_tuning(const KernelTemplate& kernel, const search::BudgetLimits& limits,
                          const search::NamedValues& sizes) {
  kernel_ = &kernel;
  smaller_ = smaller_size(sizes);
  state_.most_trials = limits.trials;
  state_.most_seconds = limits.seconds;
}

void Progress::set_size(std::size_t number, std::size_t of) {
  if (state_.size != number) {
    best_of_size_[state_.size] = best_;
    best_ = best_of_size_[number];
    state_.bests.clear();
  }
  state_.size = number;
  state_.sizes = of;
}

void Progress::on_setup(const std::string& step) {
  say_step();
  state_.step = step;
  state_.step_s = 0;
  step_began_s_ = steady_s();
  step_said_ = false;
  if (step.empty()) return;  // the search follows, which reports its own progress
  state_.phase = DisplayState::Phase::setup;
  draw(true);
}

void Progress::on_expected(const std::vector<search::ExpectedOutput>&, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) say(wrapped_text("note: " + note, status_width(), 2));
}

// Says once, where nothing is drawn, that a step takes long.
void Progress::say_step() {
  if (interactive_ || step_said_ || state_.step.empty()) return;
  state_.step_s = steady_s() - step_began_s_;
  if (state_.step_s < long_step_s) return;
  say(fmt::format("set-up: {} ({:.0f} s)", state_.step, state_.step_s));
  step_said_ = true;
}

// Says once that the set-up is slow, while there is still time to change something. Nothing is measured before the
// set-up is done.
void Progress::say_if_setup_is_slow(double elapsed_s) {
  constexpr double much = 0.25;
  if (slow_said_ || state_.step.empty() || !state_.most_seconds || elapsed_s < much * *state_.most_seconds) return;
  slow_said_ = true;
  say(wrapped_text(fmt::format("note: setting up has taken {:.0f} s of the budget of {:.0f} s so far ({}: {:.0f} s). "
                               "Smaller sizes{}, or a longer --budget, leave time for trials",
                               elapsed_s, *state_.most_seconds, state_.step, state_.step_s, smaller_),
                   status_width(), 2));
}

void Progress::on_resumed(const SessionProgress& progress) {
  if (progress.best) best_ = progress.best->objectives.front();
  if (progress.resumed > 0)
    say(fmt::format("resuming: {} in the store already",
                    counted(progress.resumed, "trial") + (progress.resumed == 1 ? " is" : " are")));
  update(progress);
}

void Progress::update(const SessionProgress& progress) {
  if (!state_.step.empty()) {
    state_.step_s = steady_s() - step_began_s_;
    ready_s_ = progress.elapsed_s;
  } else {
    state_.phase = DisplayState::Phase::search;
  }
  state_.elapsed_s = progress.elapsed_s;
  state_.searching_s = progress.elapsed_s - ready_s_;
  state_.done = progress.done;
  state_.failed = progress.failed;
  if (!progress.best) return;
  const search::Trial& best = *progress.best;
  state_.best = kernel_ ? figures(best, *kernel_) : duration_text(best.measurement->median_ms);
}

void Progress::draw(bool at_once) {
  const double now_s = steady_s();
  if (!interactive_ || (!at_once && now_s - drawn_s_ < redraw_s)) return;
  drawn_s_ = now_s;
  show_status(display_lines(state_, {status_width(), unicode_}));
}

void Progress::on_trial(const search::Trial&, const SessionProgress& progress) {
  const std::optional<double> best = progress.best ? std::optional(progress.best->objectives.front()) : std::nullopt;
  const bool improved = best != best_;
  best_ = best;
  update(progress);
  if (best) state_.bests.push_back(*best);
  if (interactive_) return draw(improved);
  const double since_s = progress.elapsed_s - said_s_;
  if (!improved && since_s < quiet_s_) return;
  if (!improved) quiet_s_ = std::min(2 * quiet_s_, most_quiet_s);
  const auto phase = std::exchange(state_.phase, DisplayState::Phase::search);
  say(plain_line(state_));
  state_.phase = phase;
  said_s_ = progress.elapsed_s;
}

void Progress::on_wait(const SessionProgress& progress) {
  update(progress);
  say_step();
  say_if_setup_is_slow(progress.elapsed_s);
  draw(true);
}

void Progress::on_default_failed(const search::Trial& trial) {
  say(wrapped_text(
      fmt::format("The default configuration failed ({}): {}", to_string(trial.outcome), failure_text(trial)),
      status_width(), 2));
}

bool Progress::on_nothing_correct(const SessionProgress& progress, const search::Trial& latest) {
  const std::string what = fmt::format("{} configurations failed, and none was correct. The latest ({}): {}",
                                       progress.failed, to_string(latest.outcome), failure_text(latest));
  say(wrapped_text(what, status_width(), 2));
  if (interactive_ && can_ask()) return ask("Go on?");
  say("The session ends here; with --keep-going it goes on.");
  return false;
}

void Progress::on_finals(std::size_t rounds, std::size_t candidates) {
  state_.phase = DisplayState::Phase::finals;
  state_.round = rounds;
  state_.candidates = candidates;
  if (interactive_)
    draw(rounds == 1);
  else if (rounds == 1)
    say(fmt::format("finals: round {}, {} candidates", rounds, candidates));
}

void Progress::on_counting(std::size_t trial, std::size_t of) {
  if (trial == 1) say(fmt::format("counting: {} configuration{}", of, of == 1 ? "" : "s"));
}

void Progress::finish() {
  end_status();
}

std::string time_text(const SessionResult& result) {
  std::string text =
      fmt::format("{:.1f} s (set-up {:.1f} s, search {:.1f} s", result.elapsed_s, result.setup_s, result.search_s);
  if (result.finals_s >= 0.05) text += fmt::format(", finals {:.1f} s", result.finals_s);
  return text + ")";
}

std::string budget_text(const Tuning& tuning) {
  search::BudgetLimits limits = tuning.request().budget;
  if (limits.target) limits.target = tuning.objectives().front().shown(*limits.target);
  const std::string text = to_text(limits);
  if (tuning.budget_from() == Tuning::BudgetFrom::manifest) return "budget, by the manifest: " + text;
  if (tuning.budget_from() == Tuning::BudgetFrom::request) return "budget: " + text;
  if (limits.empty()) return "no --budget: the whole space is tried";
  return "no --budget: ends by itself, after " + text;
}

}  // namespace warptune::tuner::cli
