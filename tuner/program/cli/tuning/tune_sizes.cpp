// Reads the problems of `warptune tune --sizes`, shows on stderr and on the live page how they are tuned
// (session/sizes/sizes_tuning.h), and prints their table.
#include "tuner/program/cli/tuning/tune_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "db/objective_value.h"
#include "db/settled.h"
#include "tuner/kernel/files/named_file.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/progress.h"
#include "tuner/program/cli/stores/neighbours.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/page_server.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/session/sizes/sizes_tuning.h"

namespace warptune::tuner::cli {

namespace {

// Passes on what one of the sizes' sessions tells.
class OneOfMany : public SessionObserver {
 public:
  // `setter` is the number of the session that sets the devices up, which is the first to say so; 0 before.
  OneOfMany(Progress& progress, SessionObserver& next, std::size_t& setter, std::size_t number, std::size_t of)
      : progress_(progress), next_(next), setter_(setter), number_(number), of_(of) {}

  void on_setup(const std::string& step) override {
    if (setter_ == 0) setter_ = number_;
    if (setter_ == number_) next_.on_setup(step);
  }
  void on_expected(const std::vector<search::ExpectedOutput>& outputs, const std::vector<std::string>& notes) override {
    next_.on_expected(outputs, notes);
  }
  void on_resumed(const SessionProgress& progress) override { turn(), next_.on_resumed(progress); }
  void on_trial(const search::Trial& trial, const SessionProgress& progress) override {
    turn(), next_.on_trial(trial, progress);
  }
  void on_wait(const SessionProgress& progress) override { turn(), next_.on_wait(progress); }
  void on_default_failed(const search::Trial& trial) override { next_.on_default_failed(trial); }
  bool on_nothing_correct(const SessionProgress& progress, const search::Trial& latest) override {
    return next_.on_nothing_correct(progress, latest);
  }
  void on_finals(std::size_t rounds, std::size_t candidates) override { turn(), next_.on_finals(rounds, candidates); }
  void on_counting(std::size_t trial, std::size_t of) override { next_.on_counting(trial, of); }

 private:
  void turn() { progress_.set_size(number_, of_); }

  Progress& progress_;
  SessionObserver& next_;
  std::size_t& setter_;
  std::size_t number_, of_;
};

// Shows what happens to the sizes. It has one display for all of them where they take turns, else one for each slice.
class SizesDisplay {
 public:
  SizesDisplay(const TuneRequest& request, std::size_t sizes, LivePage& live)
      : request_(request), live_(live), slices_(sizes) {}

  // Returns what the tuning calls. This must outlive the tuning.
  SizesListener listener();
  // Must be called before the tuning runs.
  void begin(bool together);
  // Removes the display from the terminal.
  void end() { progress_.reset(); }

 private:
  SessionObserver* observe(std::size_t size);
  void show_turn(std::size_t size, const Tuning& tuning);
  void show_end(Tuning& tuning, bool reached);
  void say_beginning(const Tuning& tuning, std::size_t size, const std::string& how);
  void say_end(Tuning& tuning);

  const TuneRequest& request_;
  LivePage& live_;
  std::vector<std::size_t> slices_;  // by size
  bool together_ = false;
  std::size_t setter_ = 0;  // as OneOfMany has it
  std::optional<Progress> progress_;
  std::vector<OneOfMany> observers_;      // by size, where they take turns
  std::optional<Neighbours> neighbours_;  // once for all sizes
  std::set<std::string> notices_;         // the notices that were said
};

void SizesDisplay::begin(bool together) {
  together_ = together;
  if (!together) return;
  SessionObserver& watching = live_.watch(progress_.emplace());
  for (std::size_t size = 0; size < slices_.size(); ++size)
    observers_.emplace_back(*progress_, watching, setter_, size + 1, slices_.size());
}

SessionObserver* SizesDisplay::observe(std::size_t size) {
  if (together_) return &observers_[size];
  progress_.emplace().set_size(size + 1, slices_.size());
  return &live_.watch(*progress_);
}

SizesListener SizesDisplay::listener() {
  SizesListener listener;
  listener.observer = [this](std::size_t size) { return observe(size); };
  listener.began = [this](std::size_t size, Tuning& tuning) {
    if (!together_) return;
    progress_->set_tuning(tuning.kernel(), request_.budget);
    say_beginning(tuning, size, ", by turns");
  };
  listener.turned = [this](std::size_t size, Tuning& tuning) { show_turn(size, tuning); };
  listener.concluded = [this](std::size_t, Tuning& tuning, bool reached) { show_end(tuning, reached); };
  return listener;
}

void SizesDisplay::show_turn(std::size_t size, const Tuning& tuning) {
  ++slices_[size];
  if (!together_) progress_->set_tuning(tuning.kernel(), tuning.request().budget);
  live_.set_tuning(tuning);
  if (!together_) say_beginning(tuning, size, fmt::format(", slice {}", slices_[size]));
}

void SizesDisplay::show_end(Tuning& tuning, bool reached) {
  if (together_)
    live_.set_tuning(tuning);
  else
    progress_->finish();
  if (reached) live_.finish(tuning.session().result());
  if (!together_) say_end(tuning);
}

void SizesDisplay::say_beginning(const Tuning& tuning, std::size_t size, const std::string& how) {
  say(fmt::format("size {} of {}: tuning {} for {} on {} ({}), session {}{}", size + 1, slices_.size(),
                  tuning.kernel().name, tuning.problem().text(), tuning.device().id, tuning.device().name, tuning.id(),
                  how));
  if (!neighbours_) {
    say(budget_text(tuning));
    neighbours_.emplace(tuning.devices(), tuning.kernel().name);
  } else if (slices_[size] == 1) {
    say(budget_text(tuning));
  }
}

// Says how a slice ended.
void SizesDisplay::say_end(Tuning& tuning) {
  for (const std::string& notice : tuning.notices())
    if (notices_.insert(notice).second) say(notice);
  for (const std::filesystem::path& file : tuning.changed_files())
    say(fmt::format("{} changed during the session, which measured it as it was at its start", file.string()));
  const SessionResult& result = tuning.session().result();
  if (tuning.request().budget.trials == std::size_t{0}) return say(fmt::format("finals in {}", time_text(result)));
  say(fmt::format("{} in {}: {}", counted(result.trials.size() - result.resumed, "trial"), time_text(result),
                  result.reason));
}

// Says what one model's run over all sizes took.
void say_summary(const SizesTuning::Summary& summary, const std::vector<SizeRun>& runs) {
  const ManySizes::Times& times = summary.times;
  const workers::CompileCounts& counts = summary.compiled;
  say(
      fmt::format("{} in {} (set-up {:.1f} s, search {:.1f} s, finals {:.1f} s); {} compiled, {} there already, {} "
                  "failed to compile",
                  counted(times.trials, "trial"), counted(times.visits, "turn"), times.setup_s, times.search_s,
                  times.finals_s, counts.compiled, counts.from_cache, counts.failed));
  for (const auto& [kind, text] : counts.notices) say(text);
  const auto missed = std::ranges::count_if(runs, [](const SizeRun& run) { return run.trials == 0; });
  if (missed > 0)
    say(fmt::format("{} of {} sizes were not reached within the budget; the same command with a larger one goes on",
                    missed, runs.size()));
}

bool have_winners(const std::vector<SizeRun>& runs, const db::Store& store) {
  return std::ranges::all_of(runs, [&](const SizeRun& run) { return run.session != 0 && store.winner(run.session); });
}

void say_of_uncertain_winners(const std::vector<SizeRun>& runs, const db::Store& store, double precision) {
  for (const SizeRun& run : runs)
    if (const auto winner = run.session == 0 ? std::nullopt : store.winner(run.session))
      say_of_an_uncertain_winner(run.session, *winner, precision);
}

Table table_of(const std::vector<SizeRun>& runs, const TuneRequest& request, const db::Store& store) {
  Table table(
      {"problem_size", "session", "trials", "slices", "seconds", "time_ms", "value", "speed_up", "configuration"});
  table.heading("problem_size", "SIZE").heading("time_ms", "TIME");
  table.less_important({"slices", "seconds", "session", "value"});
  if (request.objective == "time") table.only_for_programs({"value"});  // it is the TIME beside it
  for (const SizeRun& run : runs) {
    const auto session = run.session == 0 ? std::nullopt : store.session(run.session);
    const auto winner = session ? store.winner(run.session) : std::nullopt;
    Cell time_ms, value, speed_up, configuration;
    if (winner) {
      time_ms = time_cell(winner->time_ms);
      speed_up = speed_up_cell(*winner);
      const auto usual = winner->default_trial ? store.trial(*winner->default_trial) : std::nullopt;
      value = objective_cell(session->objective, db::objective_value(winner->objective, *session));
      if (const auto trial = store.trial(winner->trial))
        configuration = configuration_cell(trial->values, usual ? usual->values : search::NamedValues{});
    }
    const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
    table.add({run.problem.values(), run.session == 0 ? Cell() : Cell(run.session), count(run.trials),
               count(run.slices), Cell(three_digits(run.seconds), run.seconds), time_ms, value, speed_up,
               configuration});
  }
  return table;
}

}  // namespace

void tune_sizes(const TuneRequest& request, const std::vector<Problem>& problems, const KernelTemplate& kernel,
                const std::optional<std::string>& serve, Context& context) {
  db::Store store = context.open_store(db::OpenMode::read_write);
  const Interrupt interrupt;
  LivePage live(serve, context);
  SizesDisplay display(request, problems.size(), live);
  SizesTuning tuning(request, kernel, problems, store, interrupt.flag(), display.listener());
  const std::vector<SizeRun>& runs = tuning.runs();
  const auto report = [&] { context.print("tune", "sizes", table_of(runs, request, store)); };
  try {
    display.begin(tuning.together());
    const bool finished = tuning.run();
    display.end();
    if (tuning.summary()) say_summary(*tuning.summary(), runs);
    if (!have_winners(runs, store)) context.exit_code = nothing_correct;
    if (!finished) context.exit_code = interrupted;
  } catch (...) {
    display.end();
    report();  // what was measured until then; the reason follows from main
    throw;
  }
  report();
  say_of_uncertain_winners(runs, store, request.evaluator.policy.precision);
}

namespace {

// Returns "M=512,N=512" of the line "M=512, N=512 # comment".
std::string items_in(std::string line) {
  line = line.substr(0, line.find('#'));
  std::ranges::replace_if(
      line, [](char c) { return c == ',' || c == '\t' || c == '\r'; }, ' ');
  std::string list;
  for (std::size_t begin = 0; (begin = line.find_first_not_of(' ', begin)) != std::string::npos;) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    list += (list.empty() ? "" : ",") + line.substr(begin, end - begin);
    begin = end;
  }
  return list;
}

// Requires that every item has a name and a value. A line of numbers alone, or "M: 512", lacks the names of this
// template's sizes.
void require_names(const std::string& list, const KernelTemplate& kernel) {
  std::string example = search::to_text(kernel.sizes.empty() ? resolve_problem(kernel, "", {}).values() : kernel.sizes);
  std::ranges::replace(example, ',', ' ');
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string item = list.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == item.size())
      throw RequestError(fmt::format("'{}': expected sizes, as {}", item, example));
    begin = end + 1;
  }
}

}  // namespace

std::vector<Problem> read_problems(const std::filesystem::path& file, const KernelTemplate& kernel) {
  std::istringstream lines(text_of_named_file(file));
  std::vector<Problem> problems, complete;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string list = items_in(std::move(line));
    if (list.empty()) continue;
    try {
      require_names(list, kernel);
      problems.push_back(parse_problem(list));
      complete.push_back(resolve_problem(kernel, "", problems.back()));
      if (std::ranges::count(complete, complete.back()) > 1) throw RequestError(list + " is there twice");
    } catch (const RequestError& error) {
      throw RequestError(fmt::format("{}, line {}: {}", file.string(), number, error.what()));
    }
  }
  if (problems.empty())
    throw RequestError(fmt::format("{}: expected problem sizes, one a line as M=512 N=512; found none", file.string()));
  return problems;
}

}  // namespace warptune::tuner::cli
