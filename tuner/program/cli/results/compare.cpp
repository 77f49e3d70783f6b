// Implements `warptune compare`, which measures how well strategies search recorded spaces.
#include <fmt/format.h>

#include <list>

#include "db/interchange/formats.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/results/report/comparison_report.h"
#include "tuner/session/compare/comparison.h"

namespace warptune::tuner::cli {

namespace {

struct CompareArguments {
  std::vector<std::string> files, earlier;
  std::string strategies = "all";
  compare::Request request;
  std::string output;
};

// The folder tells the kernel and the file the device in most collections: "gemm/A100.json.gz" becomes "gemm/A100", and
// so does a template's own "gemm/recorded/A100.json.gz".
std::string space_name(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  name.resize(std::min(name.find('.'), name.size()));
  const std::filesystem::path beside = file.parent_path();
  const std::string folder = (beside.filename() == "recorded" ? beside.parent_path() : beside).filename().string();
  return folder.empty() || folder == "." || folder == ".." ? name : folder + '/' + name;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const search::StrategyEntry& entry : search::strategies()) names.emplace_back(entry.name);
  return names;
}

void show_progress(std::size_t done, std::size_t total) {
  show_status({fmt::format("{} of {} strategies and spaces done", done, total)});
  if (done == total) end_status();
}

// A mistyped hyperparameter should be told before the first minute of runs, not after it.
void check_options(const compare::Request& request) {
  for (const compare::StrategyChoice& choice : request.strategies) {
    search::StrategyContext context{.space = request.spaces.front()->space()};
    context.options = choice.options;
    request.make(choice.name, context);
  }
}

void run_compare(const CompareArguments& options, Context& context) {
  compare::Request request = options.request;
  std::list<replay::Recording> recordings;  // stays in place: the request points into it
  const auto read = [&](const std::string& file) {
    const db::RecordedSpace recorded = db::read_recorded_space(file);
    for (const std::string& note : recorded.notes) say("note: " + note);
    recordings.emplace_back(recorded, space_name(file), replay::Detail::lean);
    return &recordings.back();
  };
  for (const std::string& file : options.files) request.spaces.push_back(read(file));
  for (const std::string& file : options.earlier) request.earlier.push_back(read(file));
  request.strategies = compare::parse_strategies(options.strategies, strategy_names());
  request.make = search::make_strategy;
  request.cpu_s = compare::thread_cpu_s;
  if (interactive()) request.progress = show_progress;
  check_options(request);
  const Interrupt interrupt;
  request.make = [&interrupt](std::string_view name, const search::StrategyContext& each) {  // before every run
    if (interrupt.flag()) throw Interrupted();
    return search::make_strategy(name, each);
  };
  const std::size_t width = options.output.empty() ? output_width() : 0;  // a file keeps whole lines
  write_output(options.output, compare::render(compare::compare(request), context.output_format(), width));
}

void add_running_options(CLI::App& verb, compare::Request& request) {
  verb.option_defaults()->group(group::search);
  verb.add_option("--repeats", request.repeats, "runs of each strategy on each space")
      ->check(whole(1, 1'000'000))
      ->capture_default_str();
  verb.add_option("--seed", request.seed, "makes the figures repeatable")
      ->check(whole(0, any_seed))
      ->capture_default_str();
  verb.add_option("--in-flight", request.in_flight, "evaluations that a strategy has in flight")
      ->check(whole(1, most_jobs))
      ->capture_default_str();
  verb.add_option("--slots", request.slots, "evaluations that the device runs at once")
      ->check(whole(1, most_jobs))
      ->capture_default_str();
  verb.add_flag("--tell-budget", request.tell_budget, "tell strategies how many evaluations there will be");
  verb.add_flag("--charge-cpu", request.charge_cpu, "count the strategies' own CPU time, too");
  verb.add_option("--jobs", request.threads, "runs in parallel; 0: as many as cores")
      ->check(whole(0, most_jobs))
      ->capture_default_str();
  verb.add_option("--after", request.scoring.checkpoints,
                  "numbers of evaluations after which the best is compared with the optimum")
      ->delimiter(',')
      ->check(whole(1, most_rows))
      ->allow_extra_args(false)
      ->type_name("LIST")
      ->default_str(fmt::format("{}", fmt::join(request.scoring.checkpoints, ",")));
  verb.add_option("--p-replicates", request.scoring.p_replicates, "bootstrap replicates for the error of P; 0: none")
      ->check(whole(0, 1'000'000))
      ->capture_default_str();
}

}  // namespace

void add_compare(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("compare", "Measure how well strategies search recorded spaces");
  auto options = std::make_shared<CompareArguments>();
  verb->option_defaults()->group(group::search);
  verb->add_option("--spaces", options->files, "recordings: Kernel Tuner cache files, T4")
      ->required()
      ->check(CLI::ExistingFile);
  verb->add_option("--transfer", options->earlier,
                   "recordings of other devices or sizes that strategies learn from first; a space's own is left out")
      ->check(CLI::ExistingFile);
  verb->add_option("--transfer-trials", options->request.earlier_trials,
                   "trials of a session on each of them; 0: the whole recording")
      ->check(whole(0, most_rows))
      ->capture_default_str();
  verb->add_option("--strategies", options->strategies, "NAME or NAME:OPTION=VALUE:…, with commas between")
      ->type_name("LIST")
      ->capture_default_str();
  add_running_options(*verb, options->request);
  verb->add_option("--output,-o", options->output, "write to this file instead of standard output")
      ->group(group::output)
      ->type_name("FILE");
  add_format_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(*verb, {{"which of two strategies finds more in the same time?",
                        "warptune compare --spaces a.json.gz b.json.gz --strategies random,genetic"}});
  verb->callback([options, &context] { run_compare(*options, context); });
}

}  // namespace warptune::tuner::cli
