// Makes the request of a session, adds its options, and reads the files that `tune --transfer` begins from.
#include "tuner/program/cli/tuning/tune_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "db/interchange/formats.h"
#include "db/interchange/session_json.h"
#include "db/interchange/sessions.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/templates/template_lookup.h"
#include "tuner/program/cli/tuning/measuring.h"
#include "tuner/results/wisdom/wisdom_file.h"
#include "tuner/session/replay.h"
#include "tuner/session/request.h"
#include "tuner/session/transfer.h"
#include "tuner/system/files.h"

namespace warptune::tuner::cli {

namespace {

db::StoredTrial trial_of(const search::NamedValues& values, double objective) {
  db::StoredTrial stored;
  stored.values = values;
  stored.trial.objectives = {objective};
  return stored;
}

// Wisdom says how many times as good as the default a winner is, and only that carries over. So the winner counts 1.
EarlierSession session_of(const WisdomEntry& entry, const Wisdom& wisdom) {
  EarlierSession session;
  session.record.key.kernel = wisdom.kernel;
  session.record.key.device.name = entry.device;
  session.record.key.device.backend = entry.backend;
  session.record.key.problem_size = entry.sizes;
  session.record.key.variants = entry.variants;
  session.record.key.source_hash = entry.provenance.source_hash;
  session.record.objective = entry.provenance.objective.empty() ? "time" : entry.provenance.objective;
  session.trials.push_back(trial_of(entry.values, 1));
  if (entry.gain && *entry.gain > 1) session.trials.push_back(trial_of(wisdom.defaults, *entry.gain));
  return session;
}

std::vector<EarlierSession> sessions_of(const Wisdom& wisdom) {
  std::vector<EarlierSession> sessions;
  for (const WisdomEntry& entry : wisdom.entries) sessions.push_back(session_of(entry, wisdom));
  return sessions;
}

std::vector<EarlierSession> sessions_of(std::vector<db::SessionDump> dumps) {
  std::vector<EarlierSession> sessions;
  for (db::SessionDump& dump : dumps) {
    EarlierSession session{std::move(dump.session), {}};
    for (db::SessionDump::DumpedTrial& trial : dump.trials) session.trials.push_back(std::move(trial.stored));
    sessions.push_back(std::move(session));
  }
  return sessions;
}

// Returns the sessions that a file tells of: wisdom, a Kernel Tuner cache, T4, or sessions exported as warptune-json.
// Each entry of a wisdom file is a session of two trials, the winner and the default. Throws db::InterchangeError,
// WisdomError.
EarlierFile read_earlier_file(const std::filesystem::path& file) {
  if (db::holds_sessions(file)) return {file.string(), sessions_of(db::read_sessions(file))};
  if (const auto text = read_file(file); text && text->find("\"warptune-wisdom/") != std::string::npos)
    return {file.string(), sessions_of(parse_wisdom(*text, file.string()))};
  const db::RecordedSpace space = db::read_recorded_space(file);
  return {file.string(), {{db::session_record(space), db::stored_trials(space)}}};
}

TransferRequest transfer_of(const std::vector<std::string>& words) {
  std::vector<std::string> sessions;
  std::vector<EarlierFile> files;
  for (const std::string& word : words)
    if (names_file(word))
      files.push_back(read_earlier_file(word));
    else
      sessions.push_back(word);
  return parse_transfer(sessions, std::move(files));
}

}  // namespace

TuneRequest make_request(const TuneArguments& options) {
  TuneRequest request = options.request;
  if (!options.kernel.empty()) request.manifest = find_template(options.kernel);
  say_if_not_own(options.kernel, request.manifest);
  if (options.kernel.empty() && !names_recording(request.device))
    throw CLI::RequiredError("a template to tune, or a recording as --device replay:FILE,");
  request.sizes = parse_sizes(options.size);
  request.variants = parse_variants(text_of_variants(options.variants));
  for (const std::string& limit : options.budget) add_limit(request.budget, limit);
  request.strategy_options = parse_assignments("--strategy-option", options.strategy_options);
  request.transfer = transfer_of(options.transfer);
  // What a store holds is chance. Deterministic sessions, which have the same trials in the same order, need the same
  // beginning.
  if (options.transfer.empty() && request.deterministic) request.transfer.automatic = false;
  request.evaluator.policy.verify = verify_from_string(options.verify);
  request.evaluator.policy.cold_cache = options.cache == "cold";
  request.evaluator.policy.as = launch_as_from_string(options.as);
  request.evaluator = with_environment(request.evaluator);
  if (!options.no_cache)
    request.evaluator.cache = {default_cache_folder(), parse_bytes(options.cache_limit),
                               shared_cache(options.shared_cache)};
  if (!options.no_workers) request.workers = worker_program();
  if (options.agents && (options.no_workers || request.deterministic || names_recording(request.device)))
    throw CLI::ValidationError(fmt::format("--agents and {} contradict each other", options.no_workers ? "--no-workers"
                                                                                    : request.deterministic
                                                                                        ? "--deterministic"
                                                                                        : "a recording"));
  if (options.keep_going) request.most_failures = 0;
  return request;
}

void add_measuring_options(CLI::App& verb, TuneArguments& options) {
  EvaluatorOptions& evaluator = options.request.evaluator;
  verb.option_defaults()->group(group::measuring);
  verb.add_option("--precision", evaluator.policy.precision, "sample until the median is known to this fraction")
      ->check(real(1e-6, 1.0))
      ->type_name("FRACTION")
      ->capture_default_str();
  verb.add_option("--verify", options.verify, "when outputs are compared")
      ->check(one_of({"always", "once", "never"}))
      ->capture_default_str();
  verb.add_option("--cache", options.cache, "cold: empty the L2 cache before samples")
      ->check(one_of({"warm", "cold"}))
      ->capture_default_str();
  add_deployment_options(verb, options.as, evaluator.policy);
  verb.add_option("--race", evaluator.policy.race,
                  "stop measuring a configuration FACTOR times slower than the best; 0: never")
      ->check(zero_or_real(1.1, 1e6))
      ->type_name("FACTOR")
      ->capture_default_str();
  verb.add_option("--finals", options.request.finals,
                  "how many of the best are measured again at the end, at most: those within 3 % or "
                  "their errors, as many as the time allows; 0: none")
      ->check(whole(0, 100))
      ->capture_default_str();
  verb.add_flag("--counters", options.request.counters, "after the finals, read hardware counters of the finalists");
  verb.add_option("--kernel-timeout", evaluator.backend.kernel_timeout_s, "time limit of one kernel; 0: none")
      ->check(real(0, most_seconds))
      ->type_name("SECONDS")
      ->capture_default_str();
  verb.add_flag("--no-workers", options.no_workers,
                "run everything in this process, for a debugger; host kernels then have no time limit");
}

void add_search_options(CLI::App& verb, TuneArguments& options) {
  verb.add_option(
          "--budget", options.budget,
          "60s, 5m, 1h, 500 (trials), idle:100 (trials without improvement), target:1.5 (ms, or the objective's unit), "
          "improvement:0.001 (no larger one is expected); the first limit that is reached ends the session. A time "
          "includes set-up, search and finals. Default: a T1 file's, else 10m, idle:500 and improvement:0.0005")
      ->allow_extra_args(false)  // or `--budget 5m saxpy` would name no template
      ->type_name("LIMIT")
      ->group(group::budget);
  verb.add_flag("--keep-going", options.keep_going,
                "do not give up after 20 failures in a row without a correct result")
      ->group(group::budget);
  verb.option_defaults()->group(group::search);
  verb.add_option("--strategy", options.request.strategy, "`warptune strategies` lists them")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--strategy-option", options.strategy_options, "an option of the strategy")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  verb.add_option("--transfer", options.transfer,
                  "start from an earlier session of this kernel (number or name) or from a file: wisdom, another "
                  "tuner's recording, exported sessions; auto: the closest session in the store, by size, device and "
                  "version; off: nothing. "
                  "Default: auto, or off with --deterministic")
      ->allow_extra_args(false)
      ->type_name("auto|off|SESSION|FILE");
  verb.add_option("--seed", options.request.seed, "the same seed, the same decisions")
      ->check(whole(0, any_seed))
      ->capture_default_str();
  verb.add_option("--objective", options.request.objective,
                  "joules, max_error, rms_error or a metric of the template; several, as time,joules, give a Pareto "
                  "front")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--same-bits-as", options.request.same_bits_as,
                  "only configurations may win whose outputs have the same bits as the default's, or as those of a "
                  "session's winner (number or name); `best --reproducible` lists the classes")
      ->type_name("default|SESSION");
  verb.add_option("--lookahead", options.request.lookahead,
                  "configurations in flight; 0: enough to keep all cores busy")
      ->check(whole(0, most_jobs))
      ->capture_default_str();
  verb.add_flag("--deterministic", options.request.deterministic,
                "report results to the strategy in the order of its proposals");
}

}  // namespace warptune::tuner::cli
