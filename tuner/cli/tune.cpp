#include <fmt/format.h>

#include <ctime>

#include "tuner/cli/interrupt.h"
#include "tuner/cli/limits.h"
#include "tuner/cli/measuring.h"
#include "tuner/cli/numbers.h"
#include "tuner/cli/progress.h"
#include "tuner/cli/tune_sizes.h"
#include "tuner/cli/verbs.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/template_file.h"
#include "tuner/report/document.h"
#include "tuner/report/session_report.h"
#include "tuner/session/replay.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

namespace {

struct TuneArguments {
  std::string kernel;
  std::string size;
  std::string sizes;  // a file
  std::vector<std::string> variants;
  std::vector<std::string> budget;
  std::vector<std::string> strategy_options;
  std::string verify = "always";
  std::string cache_limit = "2G";
  bool no_cache = false;
  bool no_workers = false;
  bool keep_going = false;
  std::string cache = "warm";
  TuneRequest request;
};

TuneRequest make_request(const TuneArguments& options) {
  TuneRequest request = options.request;
  if (!options.kernel.empty()) request.manifest = find_template(options.kernel);
  if (options.kernel.empty() && !names_recording(request.device))
    throw CLI::RequiredError("a template to tune, or a recording as --device replay:FILE,");
  request.sizes = parse_sizes(options.size);
  request.variants = parse_variants(text_of_variants(options.variants));
  for (const std::string& limit : options.budget) add_limit(request.budget, limit);
  request.strategy_options = parse_assignments("--strategy-option", options.strategy_options);
  request.evaluator.policy.verify = verify_from_string(options.verify);
  request.evaluator.policy.cold_cache = options.cache == "cold";
  request.evaluator = with_environment(request.evaluator);
  if (!options.no_cache) request.evaluator.cache = {default_cache_folder(), parse_bytes(options.cache_limit)};
  if (!options.no_workers) request.workers = worker_program();
  if (options.keep_going) request.most_failures = 0;
  return request;
}

void announce(const Tuning& tuning) {
  for (const std::string& note : tuning.kernel().notes)
    say(fmt::format("note: {}: {}", tuning.kernel().shown(tuning.kernel().manifest).string(), note));
  std::string devices;
  for (const DeviceInfo& device : tuning.devices()) devices += (devices.empty() ? "" : ", ") + device.id;
  say(fmt::format("tuning {} for {} on {} ({})", tuning.kernel().name, tuning.problem().text(), devices,
                  tuning.device().name));
  say(budget_text(tuning));
  say(fmt::format("{} of {} configurations are valid; strategy {}, seed {}, session {}",
                  search::to_text(tuning.space().size()), tuning.space().cartesian_text(), tuning.request().strategy,
                  tuning.request().seed, tuning.id()));
}

// What the store holds of the session now, so that `show` and `best` say the same of it; and how this run went.
std::string result_json(const Tuning& tuning, const SessionResult& result, const db::Store& store) {
  constexpr std::size_t shown = 5;
  Json json = document("tune");
  const auto winner = store.winner(tuning.id());
  add_findings(store.session(tuning.id()).value(), store.trials(tuning.id()), winner, json);
  json["best"] = Json::array();
  std::vector<db::StoredTrial> best;
  for (const std::size_t i : result.front) best.push_back(store.trial(result.ids[i]).value());
  if (best.empty()) best = store.best_trials(tuning.id(), shown);
  for (const db::StoredTrial& trial : best) json["best"].push_back(json_of(trial, winner));
  json["run"] = {{"trials", result.trials.size() - result.resumed},
                 {"resumed", result.resumed},
                 {"elapsed_s", result.elapsed_s},
                 {"setup_s", result.setup_s},
                 {"search_s", result.search_s},
                 {"finals_s", result.finals_s},
                 {"interrupted", result.interrupted},
                 {"reason", result.reason}};
  return text_of(json);
}

void report(const Tuning& tuning, const SessionResult& result, const db::Store& store, Context& context) {
  if (context.output_format() == Format::table)
    write_output("", session_report(result, tuning.space(), tuning.kernel(), output_width()));
  else if (context.output_format() == Format::csv)
    write_output("", result_table(result, tuning.space(), tuning.kernel()).render(Format::csv));
  else
    write_output("", result_json(tuning, result, store));
  if (!result.best) context.exit_code = nothing_correct;
  if (result.interrupted) context.exit_code = interrupted;
}

double cpu_s(std::clock_t since) {
  return static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

void run_tune(const TuneArguments& options, Context& context) {
  TuneRequest request = make_request(options);
  request.started = context.started;
  if (!options.sizes.empty() && names_recording(request.device))
    throw RequestError("a recording is of one problem; leave --sizes out");
  if (!options.sizes.empty())
    return tune_sizes(request, read_problems(options.sizes, load_template(request.manifest)), context);
  db::Store store = context.open_store(db::OpenMode::read_write);
  const Interrupt interrupt;
  Progress progress;
  Tuning tuning(request, store, interrupt.flag(), &progress);
  progress.set_tuning(tuning.kernel(), tuning.request().budget);
  announce(tuning);
  const std::clock_t start = std::clock();
  try {
    tuning.session().run();
  } catch (...) {
    // Whatever ended the session, what was measured until then is worth showing; the reason follows from main.
    progress.finish();
    report(tuning, tuning.session().result(), store, context);
    throw;
  }
  progress.finish();
  const SessionResult& result = tuning.session().result();
  const std::size_t trials = result.trials.size() - result.resumed;
  say(fmt::format("{} trials in {}: {}", trials, time_text(result), result.reason));
  if (const std::string notes = tuning.notes(); !notes.empty() && trials > 0)
    say(fmt::format("{}; the program's own time was {:.0f} µs a trial", notes, cpu_s(start) * 1e6 / double(trials)));
  for (const std::filesystem::path& file : tuning.changed_files())
    say(fmt::format("{} changed during the session, which measured it as it was at its start", file.string()));
  report(tuning, result, store, context);
}

void add_measuring_options(CLI::App& verb, TuneArguments& options) {
  EvaluatorOptions& evaluator = options.request.evaluator;
  verb.add_option("--precision", evaluator.policy.precision, "stop sampling at this relative error of the median")
      ->check(real(1e-6, 1.0))
      ->capture_default_str();
  verb.add_option("--verify", options.verify,
                  "always (before and after sampling), once (before), or never (recorded as unverified)")
      ->check(CLI::IsMember({"always", "once", "never"}))
      ->capture_default_str();
  verb.add_option("--cache", options.cache, "warm, or cold: the L2 cache is flushed before each sample")
      ->check(CLI::IsMember({"warm", "cold"}))
      ->capture_default_str();
  verb.add_option("--race", evaluator.policy.race,
                  "cut what is this many times slower than the best so far; 0: nothing")
      ->check(real(0, 0) | real(1.1, 1e6))
      ->capture_default_str();
  verb.add_option("--finals", options.request.finals,
                  "at the end, measure at most so many of the best again side by side; 0: none")
      ->check(whole(0, 100))
      ->capture_default_str();
  add_compile_options(verb, evaluator);
  verb.add_option("--kernel-timeout", evaluator.backend.kernel_timeout_s, "seconds a kernel may take; 0: for ever")
      ->check(real(0, most_seconds))
      ->capture_default_str();
}

void add_working_options(CLI::App& verb, TuneArguments& options) {
  verb.add_option("--lookahead", options.request.lookahead, "configurations in flight; 0: as many as keep all busy")
      ->check(whole(0, most_jobs))
      ->capture_default_str();
  verb.add_flag("--deterministic", options.request.deterministic,
                "tell the strategy in the order in which it asked, not as trials finish");
  verb.add_flag("--no-workers", options.no_workers,
                "compile and measure in this process: a crash is the program's end");
  verb.add_flag("--no-cache", options.no_cache, "compile everything, keep nothing");
  verb.add_option("--cache-limit", options.cache_limit, "how large the cache of compiled code may become")
      ->capture_default_str();
  verb.add_option("-I", options.request.include_directories, "a folder of the kernel's headers; repeatable")
      ->take_all();
}

}  // namespace

void add_tune(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("tune", "Search for the fastest configuration of a kernel template");
  auto options = std::make_shared<TuneArguments>();
  verb->add_option("template", options->kernel,
                   "a template's name, folder or manifest; needed unless the device is a recording");
  verb->add_option("--size", options->size, "problem sizes, as M=1024,N=4k");
  verb->add_option(
          "--sizes", options->sizes,
          "a file of problems, one a line as M=512 N=512 PRECISION=double; they share the budget, each is a session")
      ->check(CLI::ExistingFile)
      ->excludes("--size");
  add_variant_option(*verb, options->variants);
  verb->add_option("--preset", options->request.preset, "a set of sizes and variants that the template names");
  verb->add_option("--capture", options->request.capture,
                   "tune on a call that an application recorded (warptune::runtime): its sizes and data")
      ->check(CLI::ExistingFile);
  verb->add_option(
      "--device", options->request.device,
      "cuda:0, host …; several of one model: cuda:all, cuda:0,2; replay:FILE answers from a recording; default "
      "the best there is");
  verb->add_option(
      "--budget", options->budget,
      "when to stop: 60s, 5m, 1h, 500 (trials), idle:100 (trials without improvement), target:1.5 (ms, "
      "or the objective's unit), improvement:0.001 (no more is expected, relative to the best); repeatable, the "
      "first to be reached counts. A time is all of yours: set-up, search and finals. Default: the manifest's, else "
      "10m, idle:500 and improvement:0.0005");
  verb->add_flag("--keep-going", options->keep_going,
                 "go on when 20 configurations in a row have failed and none was correct");
  add_restrict_option(*verb, options->request.restrictions);
  verb->add_option("--strategy", options->request.strategy, "see `warptune strategies`")->capture_default_str();
  verb->add_option("--strategy-option", options->strategy_options, "NAME=VALUE, repeatable");
  verb->add_option("--seed", options->request.seed, "makes the session's decisions repeatable")
      ->check(whole(0, any_seed))
      ->capture_default_str();
  verb->add_option("--objective", options->request.objective,
                   "time, joules, max_error, rms_error, or one of the template's metrics; several, as time,joules, "
                   "give a Pareto front")
      ->capture_default_str();
  add_measuring_options(*verb, *options);
  add_working_options(*verb, *options);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->callback([options, &context] { run_tune(*options, context); });
}

}  // namespace warptune::tuner::cli
