#include "tuner/cli/tune_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "db/settled.h"
#include "tuner/cli/interrupt.h"
#include "tuner/cli/progress.h"
#include "tuner/device/clock.h"
#include "tuner/kernel/problem.h"
#include "tuner/select/size_budget.h"

namespace warptune::tuner::cli {

namespace {

// What became of one problem in the end.
struct SizeRun {
  Problem problem;
  db::SessionId session = 0;
  std::size_t slices = 0;
  std::size_t trials = 0;
  double seconds = 0;
};

class SizesRun {
 public:
  SizesRun(const TuneRequest& request, const std::vector<Problem>& problems, db::Store& store)
      : request_(request), store_(store), budget_(problems.size(), request.budget) {
    for (const Problem& one : problems) runs_.push_back({one});
  }

  // False if it was interrupted.
  bool run(const std::atomic<bool>& stop) {
    while (const auto slice = budget_.next())
      if (!run_slice(*slice, stop, 0)) return false;
    if (request_.finals == 0) return true;
    search::BudgetLimits nothing_more;
    nothing_more.trials = 0;
    for (std::size_t size = 0; size < runs_.size(); ++size)
      if (!run_slice({size, nothing_more}, stop, request_.finals)) return false;
    return true;
  }

  Table table() const;
  bool all_have_winners() const {
    return std::ranges::all_of(runs_,
                               [&](const SizeRun& run) { return run.session != 0 && store_.winner(run.session); });
  }

 private:
  // Finals are held once for each size, after its last slice.
  bool run_slice(const SizeBudget::Slice& slice, const std::atomic<bool>& stop, std::size_t finals);

  const TuneRequest& request_;
  db::Store& store_;
  SizeBudget budget_;
  std::vector<SizeRun> runs_;
};

bool SizesRun::run_slice(const SizeBudget::Slice& slice, const std::atomic<bool>& stop, std::size_t finals) {
  const double begin_s = steady_s();
  SizeRun& size = runs_[slice.size];
  TuneRequest request = request_;
  request.sizes = size.problem.sizes;
  // The command's variants are every line's; a line's own count more.
  request.variants.insert(request.variants.end(), size.problem.variants.begin(), size.problem.variants.end());
  request.budget = slice.limits;
  request.finals = finals;
  Progress progress;
  Tuning tuning(request, store_, stop, &progress);
  progress.set_tuning(tuning.kernel(), tuning.request().budget);
  size.session = tuning.id();
  size.problem = tuning.problem();
  say(fmt::format("tuning {} for {} on {} ({}), session {}, slice {}", tuning.kernel().name, tuning.problem().text(),
                  tuning.device().id, tuning.device().name, tuning.id(), ++size.slices));
  tuning.session().run();
  for (const std::filesystem::path& file : tuning.changed_files())
    say(fmt::format("{} changed during the session, which measured it as it was at its start", file.string()));
  progress.finish();
  const SessionResult& result = tuning.session().result();
  const std::size_t tried = result.trials.size() - result.resumed;
  // Opening the device and the reference's run count too: the user gave a time, not a time of searching.
  const double seconds = steady_s() - begin_s;
  say(fmt::format("{} trials in {:.1f} s: {}", tried, seconds, result.reason));
  size.trials += tried;
  size.seconds += seconds;
  budget_.done(slice, {.fraction_spent = budget_.fraction(seconds, tried),
                       .improvement = late_improvement(result.trials, result.resumed),
                       .exhausted = result.exhausted || tried == 0});
  return !result.interrupted;
}

Table SizesRun::table() const {
  Table table(
      {"problem_size", "session", "trials", "slices", "seconds", "time_ms", "value", "speed_up", "configuration"});
  for (const SizeRun& run : runs_) {
    const auto winner = run.session == 0 ? std::nullopt : store_.winner(run.session);
    Cell time_ms, value, speed_up, configuration;
    if (winner) {
      value = std::abs(winner->objective);
      if (winner->time_ms) time_ms = *winner->time_ms;
      if (const auto ratio = db::speed_up(*winner)) speed_up = *ratio;
      if (const auto trial = store_.trial(winner->trial)) configuration = trial->values;
    }
    const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
    table.add({run.problem.values(), run.session == 0 ? Cell() : Cell(run.session), count(run.trials),
               count(run.slices), run.seconds, time_ms, value, speed_up, configuration});
  }
  return table;
}

// "M=512, N=512 # comment" -> "M=512,N=512"
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

}  // namespace

std::vector<Problem> read_problems(const std::filesystem::path& file, const KernelTemplate& kernel) {
  std::ifstream lines(file);
  std::vector<Problem> problems, complete;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string list = items_in(std::move(line));
    if (list.empty()) continue;
    try {
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

void tune_sizes(const TuneRequest& request, const std::vector<Problem>& problems, Context& context) {
  db::Store store = context.open_store(db::OpenMode::read_write);
  const Interrupt interrupt;
  SizesRun run(request, problems, store);
  const auto report = [&] { context.print("tune", "sizes", run.table()); };
  try {
    const bool finished = run.run(interrupt.flag());
    if (!run.all_have_winners()) context.exit_code = nothing_correct;
    if (!finished) context.exit_code = interrupted;
  } catch (...) {
    report();  // what was measured until then; the reason follows from main
    throw;
  }
  report();
}

}  // namespace warptune::tuner::cli
