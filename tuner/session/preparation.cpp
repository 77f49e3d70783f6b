// Checks a request against its template and opens the evaluator: in this process, in workers, or over several machines.
#include "tuner/session/preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "search/expression/expression.h"
#include "search/spelling.h"
#include "tuner/device/backends/device_choice.h"
#include "tuner/kernel/capture.h"
#include "tuner/kernel/draft/unfilled_variables.h"
#include "tuner/kernel/evaluation.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/restriction.h"
#include "tuner/kernel/source/macro_check.h"
#include "tuner/kernel/source/source_check.h"
#include "tuner/measure/agents/fleet.h"
#include "tuner/measure/metrics/metrics.h"
#include "tuner/measure/verification/expected_outputs.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/measure/workers/pool.h"
#include "tuner/measure/workers/settings_keeper.h"
#include "tuner/measure/workers/shared_pool.h"
#include "tuner/session/provenance.h"
#include "tuner/session/replay.h"
#include "tuner/session/replay/replay_evaluator.h"

namespace warptune::tuner {

namespace {

std::vector<DeviceInfo> find_devices(const TuneRequest& request, workers::FirstWorker* first_worker) {
  const BackendOptions& options = request.evaluator.backend;
  if (first_worker) return choose_devices(first_worker->list_devices(options), request.device);
  auto devices = choose_devices(list_devices(options), request.device);
  if (devices.size() > 1)
    throw RequestError(fmt::format("{} are several devices, which only workers measure on", request.device));
  return devices;
}

workers::Setup setup_of(const TuneRequest& request, const PreparedProblem& problem) {
  // A kernel that is a program's functions has no files, and no worker that would read them.
  return {problem.texts ? problem.texts->place() : TemplatePlace{}, problem.constants, request.evaluator};
}

// Returns the sizes and variants that the request asks for. A capture's data has the capture's own, so the request may
// give no others.
Problem wanted_problem(const TuneRequest& request, const SessionFiles& texts) {
  Problem wanted{request.sizes, request.variants};
  if (request.capture.empty()) return wanted;
  if (!wanted.empty() || !request.preset.empty())
    throw RequestError(fmt::format("the problem is that of the capture {}; leave --size, --variant and --preset out",
                                   request.capture.string()));
  Capture capture = read_capture(texts.place().capture);
  return {std::move(capture.sizes), std::move(capture.variants)};
}

void require_parameters(const KernelTemplate& kernel, const search::NamedValues& configuration) {
  std::vector<std::string> known;
  for (const search::Parameter& parameter : kernel.parameters) known.push_back(parameter.name);
  for (const auto& [name, value] : configuration)
    if (std::ranges::find(known, name) == known.end())
      throw RequestError(fmt::format("{} is no parameter of {}{}; the parameters are {}", name, kernel.name,
                                     search::did_you_mean(name, known), fmt::join(known, ", ")));
}

// Returns a space of one configuration. Parameters that it leaves out have their default values.
search::SearchSpace space_of(const KernelTemplate& kernel, const search::NamedValues& configuration) {
  require_parameters(kernel, configuration);
  std::vector<search::Parameter> parameters;
  for (const search::Parameter& parameter : kernel.parameters) {
    const search::Value* value = search::find_value(configuration, parameter.name);
    if (!value) value = search::find_value(kernel.default_values, parameter.name);
    if (!value)
      throw RequestError(fmt::format("the configuration {} has no {}, which {} needs", search::to_text(configuration),
                                     parameter.name, kernel.name));
    parameters.push_back({parameter.name, {*value}});
  }
  const search::Configuration only{std::vector<std::uint32_t>(parameters.size(), 0)};
  return search::SearchSpace::from_rows(std::move(parameters), {only});
}

// Throws RequestError for a configuration that the template forbids. Such a configuration may run and give a wrong
// result, which looks like a fault of the kernel.
void require_constraints(const PreparedProblem& problem, const search::NamedValues& configuration) {
  const search::NamedValues scope = scope_of(problem.constants, configuration);
  for (const std::string& constraint : problem.kernel.constraints) {
    const ConstraintResult result = evaluate_constraint(constraint, scope);
    if (result.holds) continue;
    throw RequestError(fmt::format("{} forbids {} for {}: {}{}", problem.kernel.name, search::to_text(configuration),
                                   search::to_text(problem.instance.values()),
                                   as_written(problem.kernel, constraint, scope),
                                   result.no_value.empty() ? "" : "; " + result.no_value));
  }
}

// Returns whether the constraint reads a size of the problem. A constraint on parameters alone may leave out a right
// configuration just because it is slow.
bool asks_for_sizes(const search::Expression& constraint, const KernelTemplate& kernel) {
  return std::ranges::any_of(
      constraint.names(), [&](const std::string& name) { return search::find_value(kernel.sizes, name) != nullptr; });
}

// Throws RequestError if the default configuration is the reference and the template forbids it for these sizes. Its
// result may be wrong then, and every other configuration would be compared with it. The request's own restrictions,
// which are the last constraints, do not count. Neither does a constraint that has no value for the default, as after a
// division by zero: it keeps the default out of the space, but forbids nothing.
void require_reference(const PreparedProblem& problem, const TuneRequest& request) {
  const KernelTemplate& kernel = problem.kernel;
  if (!kernel.reference.default_configuration || !kernel.reference.data.empty()) return;
  if (!request.evaluator.policy.verifies()) return;
  const search::NamedValues scope = scope_of(problem.constants, kernel.default_values);
  for (std::size_t i = 0; i + request.restrictions.size() < kernel.constraints.size(); ++i) {
    const ConstraintResult result = evaluate_constraint(kernel.constraints[i], scope);
    if (!result.holds && result.no_value.empty() &&
        asks_for_sizes(search::Expression::parse(kernel.constraints[i]), kernel))
      throw RequestError(fmt::format(
          "the default configuration of {}, which is its reference, is forbidden for {}: {} breaks {}. Take sizes that "
          "allow it, give the manifest another default, or add a reference (MANIFEST.md, [reference])",
          kernel.name, search::to_text(problem.instance.values()), search::to_text(kernel.default_values),
          as_written(kernel, kernel.constraints[i], scope)));
  }
}

// Adds a note where the default configuration is not in the space because a constraint has no value for it, as after a
// division by zero.
void note_undefined_default(PreparedProblem& problem) {
  const search::NamedValues& values = problem.kernel.default_values;
  const search::NamedValues scope = scope_of(problem.constants, values);
  for (const std::string& constraint : problem.kernel.constraints)
    if (const ConstraintResult result = evaluate_constraint(constraint, scope); !result.no_value.empty())
      problem.kernel.notes.push_back(fmt::format("the default configuration {} is not in the space: {}; {}",
                                                 search::to_text(values), as_written(problem.kernel, constraint, scope),
                                                 result.no_value));
}

void require_backend(const KernelTemplate& kernel, const DeviceInfo& device) {
  if (kernel.runs_on(device.backend)) return;
  throw RequestError(fmt::format(
      "{} does not run on {}: its manifest says backends = [\"{}\"], for its source needs what the {} backend "
      "does not have. Name another device with --device; `warptune devices` lists them",
      kernel.name, device.id, fmt::join(kernel.backends, "\", \""), device.backend));
}

}  // namespace

namespace {

// Returns a problem with its texts, template and devices. If the request shares its workers with others, the texts and
// devices are those of the first.
PreparedProblem found_parts(const TuneRequest& request) {
  PreparedProblem problem;
  if (request.shared && request.shared->files()) {
    problem.texts = request.shared->files();
    problem.devices = request.shared->devices();
    problem.kernel = load_template(problem.texts->place());
    return problem;
  }
  ScratchFolder::remove_abandoned();
  problem.texts = std::make_shared<const SessionFiles>(
      TemplatePlace{request.manifest, request.capture, request.include_directories, {}, {}, {}, {}, {}, {}});
  problem.kernel = load_template(problem.texts->place());
  if (request.workers)
    problem.first_worker = std::make_shared<workers::FirstWorker>(*request.workers, request.idle_workers.get());
  problem.devices = find_devices(request, problem.first_worker.get());
  require_backend(problem.kernel, problem.device());
  check_macros(problem.kernel);
  check_sources(problem.kernel);
  for (std::string& sentence : draft::unfilled_variables(problem.kernel))
    problem.kernel.notes.push_back(std::move(sentence));
  if (request.shared) request.shared->know(problem.texts, problem.devices);
  return problem;
}

}  // namespace

PreparedProblem prepare_problem(const TuneRequest& request) {
  if (names_recording(request.device)) return replayed_problem(request);
  PreparedProblem problem = found_parts(request);
  problem.instance = resolve_problem(problem.kernel, effective_preset(problem.kernel, request.preset, problem.device()),
                                     wanted_problem(request, *problem.texts));
  problem.constants = problem_constants(problem.instance.values(), problem.device());
  restrict_space(problem.kernel, request.restrictions, problem.constants);
  note_undefined_default(problem);
  return problem;
}

CompilerFacts learn_of_compiler(const TuneRequest& request, const PreparedProblem& problem) {
  if (problem.recording) return {};
  if (request.shared)
    return request.shared->facts(*request.workers, problem.first_worker.get(), setup_of(request, problem),
                                 problem.kernel);
  if (problem.first_worker) return problem.first_worker->compiler_facts(setup_of(request, problem), problem.device());
  const auto compiler = backend_of(problem.device()).compiler(problem.device(), request.evaluator.backend);
  return compiler_facts(problem.kernel, problem.device().backend, *compiler, problem.constants);
}

namespace {

// A search of many problems thinks while one of them is measured, so each device needs this many jobs at hand.
constexpr std::size_t jobs_of_a_row = 8;

using AllSettings = std::vector<std::shared_ptr<workers::HeldSettings>>;

// Sets the clocks and power caps that the policy asks for. This comes after everything that can fail by itself, and
// before the device is opened.
AllSettings hold_settings(const TuneRequest& request, const PreparedProblem& problem,
                          const std::function<void(const std::string& step)>& on_setup) {
  const MeasurePolicy& policy = request.evaluator.policy;
  const DeviceSettings wanted{policy.clock_mhz, policy.power_cap_w};
  if (!wanted.any()) return {};
  if (problem.recording)
    throw RequestError("a recording has its own times: --clock and --power-cap are for GPUs; leave them out");
  if (request.agents)
    throw RequestError("--clock and --power-cap set the devices of this machine only: leave them or --agents out");
  AllSettings all;
  for (const DeviceInfo& device : problem.devices) {
    if (on_setup) on_setup("setting the clock or power cap of " + device.id);
    all.push_back(workers::hold_settings(device, wanted, request.evaluator.backend, request.workers));
  }
  return all;
}

OpenEvaluator open_with(const TuneRequest& request, const PreparedProblem& problem, const CompilerFacts& compiler,
                        const search::SearchSpace& space, const std::atomic<bool>& stop, SetupEvents events) {
  if (problem.recording) return {std::make_unique<replay::ReplayEvaluator>(*problem.recording)};
  require_reference(problem, request);
  workers::Setup setup = setup_of(request, problem);
  setup.options.cache_salt = compiler_salt(compiler, problem.kernel.headers_hash);
  if (!request.workers) {
    auto here =
        std::make_unique<DeviceEvaluator>(problem.kernel, space, problem.constants, problem.device(), setup.options);
    events.on_expected(here->expected_outputs());
    return {std::move(here)};
  }
  if (request.shared) {
    const auto make = [&](workers::SharedPool::OnSetup on_step, workers::SharedPool::OnExpected on_expected) {
      workers::PoolOptions options{*request.workers,
                                   request.lookahead,
                                   false,
                                   &stop,
                                   problem.first_worker->release(),
                                   request.idle_workers,
                                   std::move(on_step),
                                   std::move(on_expected)};
      options.jobs_a_device = jobs_of_a_row;
      return std::make_unique<workers::WorkerPool>(std::move(setup), problem.devices, std::move(options));
    };
    auto view = request.shared->open({problem.kernel, space, problem.constants}, make, std::move(events.on_step),
                                     std::move(events.on_expected));
    return {std::move(view), request.shared->pool()};
  }
  agents::Offer offer = request.agents ? agents::offer_of(setup, problem.device(), compiler) : agents::Offer{};
  workers::PoolOptions options{*request.workers,
                               request.lookahead,
                               request.deterministic,
                               &stop,
                               problem.first_worker->release(),
                               request.idle_workers,
                               std::move(events.on_step),
                               std::move(events.on_expected)};
  auto pool = std::make_unique<workers::WorkerPool>(space, std::move(setup), problem.devices, std::move(options));
  workers::WorkerPool* const observed = pool.get();
  if (!request.agents) return {std::move(pool), observed};
  auto fleet = std::make_unique<agents::Fleet>(space, std::move(pool), *request.agents, std::move(offer),
                                               agents::FleetOptions{request.lookahead, &stop});
  agents::Fleet* const observed_fleet = fleet.get();
  return {std::move(fleet), observed, observed_fleet};
}

}  // namespace

OpenEvaluator open_evaluator(const TuneRequest& request, const PreparedProblem& problem, const CompilerFacts& compiler,
                             const search::SearchSpace& space, const std::atomic<bool>& stop, SetupEvents events) {
  if (!events.on_expected)
    events.on_expected = [&kernel = problem.kernel](const ExpectedOutputs& outputs) {
      require_telling(kernel, outputs);
    };
  const bool held = request.shared && request.shared->pool();  // the first problem holds the settings
  AllSettings settings = held ? AllSettings() : hold_settings(request, problem, events.on_step);
  OpenEvaluator opened = open_with(request, problem, compiler, space, stop, std::move(events));
  opened.settings = std::move(settings);
  return opened;
}

namespace {

// Reads the counters of a configuration that was measured, and adds them to its trial.
void count_once(Evaluator& evaluator, const search::Configuration& configuration, search::Trial& trial) {
  evaluator.submit({configuration, Purpose::counted});
  trial.counters = counters_of_run(evaluator.next());
}

}  // namespace

void require_known_values(const KernelTemplate& kernel, const search::NamedValues& configuration) {
  require_parameters(kernel, configuration);
  for (const search::Parameter& parameter : kernel.parameters) {
    const search::Value* value = search::find_value(configuration, parameter.name);
    const auto is_it = [&](const search::Value& known) {
      return search::same_value(known, *value) || search::to_text(known) == search::to_text(*value);
    };
    if (!value || std::ranges::any_of(parameter.values, is_it)) continue;
    std::vector<std::string> known;
    for (const search::Value& other : parameter.values) known.push_back(search::to_text(other));
    const std::string text = search::to_text(*value);
    throw RequestError(
        fmt::format("{}={} is outside the domain of {} in {}: expected one of {}{}. To try another, add "
                    "it to the values in {}",
                    parameter.name, text, parameter.name, kernel.name, fmt::join(known, ", "),
                    search::did_you_mean(text, known), kernel.shown(kernel.manifest).string()));
  }
}

SingleRun run_once(const TuneRequest& request, const search::NamedValues& configuration,
                   const std::atomic<bool>& stop) {
  SingleRun run{prepare_problem(request), {}, {}, {}};
  const search::SearchSpace space = space_of(run.problem.kernel, configuration);
  run.configuration = space.values(space.at(0));
  require_constraints(run.problem, run.configuration);
  const CompilerFacts compiler = learn_of_compiler(request, run.problem);
  TuneRequest counting = request;
  if (request.counters) counting.evaluator.policy.counters = Counting::finalists;
  const auto opened = open_evaluator(counting, run.problem, compiler, space, stop,
                                     {.on_expected = [&run](const ExpectedOutputs& outputs) {
                                       require_telling(run.problem.kernel, outputs);
                                       run.expected = outputs;
                                     }});
  opened.evaluator->submit({space.at(0)});
  run.trial = opened.evaluator->next();
  if (run.trial.correct() && request.counters) count_once(*opened.evaluator, space.at(0), run.trial);
  if (run.trial.correct()) {
    const search::NamedValues scope = scope_of(run.problem.constants, run.configuration);
    run.trial.metrics =
        evaluate_metrics(run.problem.kernel, scope, run.problem.device(), *run.trial.measurement, run.trial.counters);
    run.trial.work = evaluate_work(run.problem.kernel, scope);
  }
  return run;
}

namespace {

// What is tracked is compiled without optimisation, and then nothing fuses a multiplication and an addition. So it is
// compared with a default configuration that rounds in the same way.
KernelTemplate rounding_as_tracked(KernelTemplate kernel) {
  if (kernel.reference.default_configuration) kernel.backend_options["host"].emplace_back("-O0");
  return kernel;
}

// A reference is not tracked, and runs in this process. One that reads or writes far outside its buffers would end it
// before anything was found. Where the reference is the template's own kernel, that one is tracked alone first.
std::optional<TrackedRun> fault_of_own_reference(const TuneRequest& request, const PreparedProblem& problem,
                                                 Compiler& compiler, const search::NamedValues& wanted,
                                                 const Tracking& tracking) {
  if (!problem.kernel.reference.default_configuration) return std::nullopt;
  const search::NamedValues& values = problem.kernel.default_values;
  TrackedRun run =
      TrackedRuns(problem.kernel, problem.constants, problem.device(), request.evaluator.backend, compiler, false)
          .run(values, tracking);
  if (run.outcome == search::Outcome::correct) return std::nullopt;
  if (values != wanted) run.message = "the default configuration, which is the reference: " + run.message;
  return run;
}

}  // namespace

TrackedRun track_once(const TuneRequest& request, const search::NamedValues& configuration, const Tracking& tracking) {
  TuneRequest here = request;
  here.workers.reset();
  const PreparedProblem problem = prepare_problem(here);
  if (problem.recording || !problem.device().is_host())
    throw RequestError(fmt::format("accesses are told of on the host alone, and not on {}; say --device host",
                                   request.device.empty() ? problem.device().id : request.device));
  const search::SearchSpace space = space_of(problem.kernel, configuration);
  require_constraints(problem, space.values(space.at(0)));
  require_reference(problem, request);
  const auto compiler = cached_compiler(problem.device(), request.evaluator);
  const search::NamedValues values = space.values(space.at(0));
  if (const auto fault = fault_of_own_reference(request, problem, *compiler, values, tracking)) return *fault;
  const KernelTemplate kernel = rounding_as_tracked(problem.kernel);
  return TrackedRuns(kernel, problem.constants, problem.device(), request.evaluator.backend, *compiler, true)
      .run(values, tracking);
}

}  // namespace warptune::tuner
