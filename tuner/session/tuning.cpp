// Prepares a session step by step: objectives, space, budget, key, strategy, evaluator.
#include "tuner/session/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tuner/kernel/capture.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/restriction.h"
#include "tuner/measure/agents/fleet.h"
#include "tuner/measure/verification/expected_outputs.h"
#include "tuner/measure/workers/pool.h"
#include "tuner/session/block_threads.h"
#include "tuner/session/empty_space.h"
#include "tuner/session/first_guess/first_guess.h"
#include "tuner/session/first_guess/words.h"
#include "tuner/session/provenance.h"
#include "tuner/session/replay.h"
#include "tuner/session/strategy_thread.h"

namespace warptune::tuner {

namespace {

TuneRequest since_now(TuneRequest request) {
  if (!request.started) request.started = std::chrono::steady_clock::now();
  return request;
}

PreparedProblem prepared(const TuneRequest& request, SessionObserver* observer) {
  if (observer) observer->on_setup("reading the template and looking for devices");
  return prepare_problem(request);
}

}  // namespace

Tuning::Tuning(TuneRequest request, db::Store& store, const std::atomic<bool>& stop, SessionObserver* observer)
    // Braces evaluate arguments in their order, so the time begins before the template is read. With parentheses the
    // compiler chooses which comes first.
    : Tuning{since_now(request), prepared(request, observer), store, stop, observer} {}

Tuning::Tuning(TuneRequest request, PreparedProblem problem, db::Store& store, const std::atomic<bool>& stop,
               SessionObserver* observer)
    : request_(since_now(std::move(request))),
      observer_(observer),
      problem_(std::move(problem)),
      objectives_(make_objectives(problem_.kernel, objective_names())) {
  prepare_objectives();
  note_step("building the search space");
  build_space_or_throw();
  take_given_budget();
  prepare_same_bits(store);
  note_step("asking the compiler for its version");
  const CompilerFacts compiler = learn_of_compiler(request_, problem_);
  const db::SessionKey key = key_of(compiler);
  const auto known = find_known(store, key);
  make_strategy_or_throw(store, key, known);
  id_ = continue_or_create(store, key, known);
  note_step("opening " + device().id + " and filling the data");
  opened_ = open_evaluator(request_, problem_, compiler, *space_, stop,
                           {.on_step = [this](const std::string& step) { note_setup(step); },
                            .on_expected = [this, &store](const auto& outputs) { note_expected(store, outputs); }});
  if (!opened_.pool) note_step({});
  let_strategy_think_ahead();
  session_ = std::make_unique<Session>(
      SessionParts{kernel(), *space_, constants(), *strategy_, *opened_.evaluator, store, id_, objectives_,
                   search::Budget(request_.budget), default_configuration_, stop, observer, finals_options(), spent_s(),
                   request_.most_failures, request_.counters, most_in_flight(), request_.evaluator.policy.same_bits});
}

void Tuning::note_step(const std::string& step) const {
  if (observer_) observer_->on_setup(step);
}

// Tells the observer what workers do during the set-up. An empty step says that the set-up is over.
void Tuning::note_setup(const std::string& step) {
  note_step(step);
  if (step.empty() && session_) session_->note_ready();
}

void Tuning::note_expected(db::Store& store, const std::vector<search::ExpectedOutput>& outputs) {
  require_telling(kernel(), outputs);
  expected_ = outputs;
  if (outputs.empty()) return;
  store.record_expected(id_, json_of(outputs).dump());
  if (observer_) observer_->on_expected(outputs, notes_on(kernel(), outputs));
}

FinalsOptions Tuning::finals_options() const {
  FinalsOptions options{.candidates = request_.finals};
  options.max_seconds = request_.finals_seconds.value_or(FinalsOptions::most_seconds);
  options.given = request_.finals_seconds.has_value();
  options.seed = request_.seed;
  return options;
}

// Returns the seconds that the user has waited so far. A recording has a clock of its own, on which no time has passed
// yet.
double Tuning::spent_s() const {
  if (problem_.recording) return 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - *request_.started).count();
}

// Returns the names of the objectives. A recording's trials are rated by the recording's own objective.
const std::string& Tuning::objective_names() {
  if (problem_.recording) request_.objective = problem_.recording->objectives().front();
  return request_.objective;
}

// Throws RequestError if an objective has no value for this problem. A search for it would end without a winner, after
// all of its time.
void Tuning::require_values_of_objectives() const {
  const auto impossible = impossible_metrics(kernel(), constants(), device());
  for (const Objective& objective : objectives_)
    if (const auto found = impossible.find(objective.name()); found != impossible.end())
      throw RequestError(
          fmt::format("the objective {} has no value{} on {}: {}. Choose another --objective or another "
                      "size",
                      objective.name(), for_problem(problem_.instance), device().id, found->second));
}

// Turns the request's target into the sense of the stored objectives, and asks the evaluator for what the objectives
// need. A user's target of 5000 GFLOP/s is a minimum of -5000.
void Tuning::prepare_objectives() {
  require_values_of_objectives();
  if (request_.budget.target) request_.budget.target = objectives_.front().shown(*request_.budget.target);
  if (request_.counters) request_.evaluator.policy.counters = Counting::finalists;
  if (std::ranges::any_of(objectives_, &Objective::needs_counters)) {
    if (device().is_host())
      throw RequestError(
          "an objective uses counters, and the host backend counts only what --counters asks for: name a "
          "GPU with --device, or another objective");
    request_.evaluator.policy.counters = Counting::every_trial;
  }
  if (std::ranges::any_of(objectives_, &Objective::needs_bandwidth) && device().memory_bandwidth_gbs() == 0)
    throw RequestError(
        fmt::format("an objective is a share of the memory's bandwidth, and that of {} is not known: name a "
                    "GPU with --device, or another objective",
                    device().id));
  if (!std::ranges::any_of(objectives_, &Objective::needs_energy)) return;
  if (device().power_limit_w == 0)
    throw RequestError(fmt::format(
        "the energy of a run is asked for, and {} does not tell it: that needs a GPU with NVML (libnvidia-ml.so.1)",
        device().id));
  request_.evaluator.policy.energy = true;
}

// Sets whose bits a winner must have. This comes before anything is measured, so that what can be known now to be
// impossible is said now.
void Tuning::prepare_same_bits(const db::Store& store) {
  const std::string& wanted = request_.same_bits_as;
  if (wanted.empty()) return;
  const std::string option = "--same-bits-as " + wanted;
  if (problem_.recording)
    throw RequestError(option +
                       ": a recording has times and no outputs, so that nobody can tell which bits are the same");
  if (!request_.evaluator.policy.verifies())
    throw RequestError(option + ": without verification nobody looks at the outputs; leave --verify never out");
  if (wanted == "default") {
    const auto configuration = space_->find(kernel().default_values);
    if (!configuration || !space_->contains(*configuration))
      throw RequestError(fmt::format("{}: the default configuration of {} is not in the space{} on {}", option,
                                     kernel().name, for_problem(problem()), device().id));
    request_.evaluator.policy.same_bits = same_bits_from_text("default");
    return;
  }
  const db::SessionRecord session =
      named_session(store, wanted, "--same-bits-as takes default, or a session by number or name");
  const auto winner = store.winner(session.id);
  if (!winner) throw RequestError(fmt::format("{}: session {} has no winner", option, session.id));
  const auto bits = store.trial(winner->trial)->trial.bits;
  if (!bits || bits->outputs.empty())
    throw RequestError(fmt::format("{}: the winner of session {} {}", option, session.id,
                                   bits ? "has outputs that are declared nondeterministic"
                                        : "has no bits: it was not verified, or measured by an older version; tune "
                                          "it again into another store (--db)"));
  request_.evaluator.policy.same_bits = same_bits_as(*bits);
}

void Tuning::build_space_or_throw() {
  if (problem_.recording) {
    space_ = {problem_.recording, &problem_.recording->space()};
    return;
  }
  try {
    space_ = std::make_shared<const search::SearchSpace>(build_space(kernel(), constants()));
  } catch (const search::ExpressionError& error) {
    throw RequestError(
        fmt::format("a constraint of {} cannot be evaluated: {} (column {})", origin(), error.what(), error.column()));
  } catch (const std::invalid_argument& error) {
    throw RequestError(fmt::format("the search space of {} cannot be built: {}", origin(), error.what()));
  }
  if (!space_->empty()) return;
  throw RequestError(fmt::format("the space of {}{} on {} is empty. {}", kernel().name, for_problem(problem()),
                                 device().id, fmt::join(why_empty(*space_), "\n  ")));
}

// Takes the manifest's budget where the request does not say when to stop, and the default budget where neither does.
void Tuning::take_given_budget() {
  search::BudgetLimits& asked = request_.budget;
  if (!asked.empty()) return;
  const GivenBudget& given = kernel().budget;
  budget_from_ = BudgetFrom::manifest;
  asked.seconds = given.seconds;
  asked.trials = given.trials;
  if (asked.empty() && !given.fraction) {
    budget_from_ = BudgetFrom::nobody;
    asked = default_budget(request_.strategy, problem_.recording != nullptr);
  }
  if (!given.fraction) return;
  const double share = std::ceil(std::min(*given.fraction, 1.0) * static_cast<double>(space_->size()));
  asked.trials = std::min(asked.trials.value_or(std::numeric_limits<std::size_t>::max()),
                          static_cast<std::size_t>(std::clamp(share, 1.0, 1e18)));
}

search::BudgetLimits default_budget(const std::string& strategy, bool recording) {
  constexpr double longest_s = 600;
  search::BudgetLimits limits;
  if (strategy == "exhaustive") return limits;
  if (!recording) limits.seconds = longest_s;
  limits.stagnation = 500;
  limits.min_expected_improvement = 0.0005;
  return limits;
}

std::vector<std::filesystem::path> Tuning::changed_files() const {
  return problem_.texts ? problem_.texts->changed() : std::vector<std::filesystem::path>();
}

// Returns what the user should look into when the template is wrong.
std::string Tuning::origin() const {
  return kernel().program ? kernel().name : kernel().manifest.string();
}

std::string Tuning::notes() const {
  if (!opened_.pool) return {};
  const auto& counts = opened_.pool->compile_counts();
  const std::string shared = counts.from_shared > 0 ? fmt::format(" ({} of them shared)", counts.from_shared) : "";
  std::string text = fmt::format("{} compiled, {} from the cache{}, {} failed to compile", counts.compiled,
                                 counts.from_cache, shared, counts.failed);
  if (counts.ruled_out > 0) text += fmt::format(", {} ruled out before", counts.ruled_out);
  for (const std::string& lost : opened_.pool->lost_devices()) text += "; " + lost;
  if (opened_.fleet && !opened_.fleet->notes().empty()) text += " here; " + opened_.fleet->notes();
  return text;
}

std::vector<std::string> Tuning::notices() const {
  std::vector<std::string> texts;
  if (opened_.pool)
    for (const auto& [kind, text] : opened_.pool->compile_counts().notices) texts.push_back(text);
  return texts;
}

// Returns the stored session with this key, also if an older version of Warptune began it.
std::optional<db::SessionRecord> Tuning::find_known(const db::Store& store, db::SessionKey key) const {
  if (auto known = store.find_session(key)) return known;
  if (problem_.recording || kernel().program) return std::nullopt;
  key.manifest_hash = earlier_manifest_hash(kernel());
  return store.find_session(key);
}

db::SessionKey Tuning::key_of(const CompilerFacts& compiler) const {
  db::SessionKey key = problem_.recording ? replay_key(request_, problem_)
                                          : session_key(kernel(), device(), compiler, problem(), constants(),
                                                        request_.evaluator.policy, request_.objective);
  // The capture is part of the key, because other data may have other times.
  if (!request_.capture.empty())
    key.capture = capture_hash(read_capture(problem_.texts ? problem_.texts->place().capture : request_.capture));
  key.restrictions = canonical_restrictions(request_.restrictions);
  return key;
}

// Makes the strategy before the session is created, so that an unknown strategy or option leaves nothing behind in the
// store.
void Tuning::make_strategy_or_throw(const db::Store& store, const db::SessionKey& key,
                                    const std::optional<db::SessionRecord>& known) {
  search::StrategyContext context{*space_, request_.seed, {}, request_.budget.trials, request_.strategy_options};
  default_configuration_ = space_->find(kernel().default_values);
  if (default_configuration_ && !space_->contains(*default_configuration_)) default_configuration_.reset();
  context.default_configuration = default_configuration_;
  if (!kernel().program) context.threads_per_block = BlockThreads(kernel(), constants(), *space_);
  context.first_guess = first_guess();
  // Other replays of a recording know its answers, so they are not taken unless the user names them.
  const bool answered = problem_.recording && request_.transfer.automatic;
  if (search::learns_from_earlier(request_.strategy) && !answered && !request_.make_strategy) {
    note_step("reading earlier sessions");
    transferred_ = transfer_sources(store, request_.transfer,
                                    {key, known ? known->id : 0, request_.objective, *space_, kernel().default_values});
  }
  for (const TransferSource& source : transferred_) context.earlier.push_back(source.trials);
  strategy_ = request_.make_strategy ? request_.make_strategy(context) : make_strategy(request_.strategy, context);
  if (!strategy_) throw std::invalid_argument("TuneRequest::make_strategy returned no strategy");
}

// Returns a guess at the times of configurations; it is empty on the host. The model is of GPUs, and on the host it
// would mislead.
std::function<double(const search::Configuration&)> Tuning::first_guess() const {
  if (device().is_host()) return {};
  if (problem_.recording || kernel().program) return word_guess(*space_);
  return FirstGuess(kernel(), constants(), device(), *space_);
}

// Moves the strategy to a thread of its own where compilers and devices are other processes, which a fit of a model
// would keep waiting. A session with few configurations in flight keeps it here, because each decision is to know all
// trials before it.
void Tuning::let_strategy_think_ahead() {
  constexpr std::size_t ready = 4;
  if (!opened_.pool || request_.deterministic || request_.make_strategy ||
      !search::learns_from_earlier(request_.strategy))
    return;
  const std::size_t capacity = opened_.evaluator->capacity();
  if (capacity <= ready || most_in_flight() > 0) return;
  strategy_ = std::make_unique<StrategyThread>(std::move(strategy_), ready);
}

// Returns how many configurations may be in flight; 0 means as many as the evaluator wants. With few trials to spend,
// each should know of those before it, so no more than a quarter of them are in flight, even if compilers idle.
std::size_t Tuning::most_in_flight() const {
  const auto& trials = request_.budget.trials;
  if (!trials || request_.lookahead > 0 || !search::learns_from_earlier(request_.strategy)) return 0;
  const std::size_t quarter = std::max<std::size_t>(1, *trials / 4);
  return quarter < opened_.evaluator->capacity() ? quarter : 0;
}

db::SessionId Tuning::continue_or_create(db::Store& store, const db::SessionKey& key,
                                         const std::optional<db::SessionRecord>& known) {
  const std::string maximised = names_of_maximised(objectives_);
  if (known) {
    continued_ = known;
    // An older version did not store what is maximised, and a session without trials does not show it.
    if (known->maximised != maximised) store.set_maximised(known->id, maximised);
    if (!request_.name.empty() && request_.name != known->name) store.label(known->id, {.name = request_.name});
    return known->id;
  }
  db::SessionRecord record;
  record.key = key;
  record.name = request_.name;
  record.strategy = request_.strategy;
  record.seed = request_.seed;
  record.objective = request_.objective;
  record.maximised = maximised;
  record.space_size = search::to_text(space_->size());
  record.tool_version = tool_version;
  if (!problem_.recording && !kernel().program && !request_.temporary_manifest)
    record.manifest = std::filesystem::absolute(request_.manifest).lexically_normal().string();
  if (!request_.capture.empty()) record.capture_file = std::filesystem::absolute(request_.capture).string();
  return store.create_session(record);
}

}  // namespace warptune::tuner
