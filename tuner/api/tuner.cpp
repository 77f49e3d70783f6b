#include "tuner/api/tuner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "db/settled.h"
#include "search/strategies/strategy.h"
#include "tuner/api/function_evaluator.h"
#include "tuner/api/problem.h"
#include "tuner/backends/device_choice.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/measurer.h"
#include "tuner/session/provenance.h"

namespace warptune {

namespace {

// A run that finds its own result is no longer the problem's, so each one is a sample of its own.
tuner::MeasurePolicy policy_of(const Tuner::Problem& problem) {
  tuner::MeasurePolicy policy = problem.options.policy;
  if (!problem.verify) policy.verify = tuner::Verify::never;
  policy.energy = policy.cold_cache = false;  // for manifests only
  policy.min_sample_ms = 0;
  return policy;
}

search::NamedValues complete_defaults(const tuner::KernelTemplate& kernel) {
  search::NamedValues values;
  for (const search::Parameter& parameter : kernel.parameters) {
    const search::Value* chosen = search::find_value(kernel.default_values, parameter.name);
    values.emplace_back(parameter.name, chosen ? *chosen : parameter.values.front());
  }
  return values;
}

search::SearchSpace build(const Tuner::Problem& problem, const search::NamedValues& constants) {
  search::SearchSpace space = search::SearchSpace::build(problem.kernel.parameters, problem.constraints, constants);
  if (!space.empty()) return space;
  throw tuner::RequestError(
      fmt::format("no configuration of {} satisfies all constraints. These contradict each other:\n  {}",
                  problem.kernel.name, fmt::join(space.contradiction(), "\n  ")));
}

db::SessionId open_session(const Tuner::Problem& problem, db::Store& store, db::SessionKey key,
                           const search::SearchSpace& space) {
  db::SessionRecord record;
  record.key = std::move(key);
  if (const auto known = store.find_session(record.key)) return known->id;
  record.strategy = problem.strategy;
  record.seed = problem.seed;
  record.objective = problem.objective;
  record.space_size = search::to_text(space.size());
  record.tool_version = tuner::tool_version;
  return store.create_session(record);
}

double settled_ms(const tuner::SessionResult& session, std::size_t trial) {
  return db::settled(session.winner, session.ids[trial], session.trials[trial]).time_ms.value_or(0);
}

TunerResult summary(tuner::SessionResult session, const search::SearchSpace& space, const tuner::DeviceInfo& device) {
  TunerResult result;
  if (session.best) {
    const search::Trial& best = session.trials[*session.best];
    result.best = space.values(best.configuration);
    result.best_ms = settled_ms(session, *session.best);
  }
  if (session.fallback && session.trials[*session.fallback].correct())
    result.default_ms = settled_ms(session, *session.fallback);
  result.device = device.name;
  result.session = std::move(session);
  return result;
}

}  // namespace

Tuner::Tuner(std::string name) : problem_(std::make_unique<Problem>()) {
  problem_->kernel.name = std::move(name);
}
Tuner::~Tuner() = default;
Tuner::Tuner(Tuner&&) noexcept = default;
Tuner& Tuner::operator=(Tuner&&) noexcept = default;

Tuner& Tuner::source(std::string text, std::vector<std::string> kernels, std::vector<std::string> options) {
  problem_->sources.push_back({std::move(text), std::move(kernels), std::move(options)});
  return *this;
}

Tuner& Tuner::parameter(std::string name, std::vector<search::Value> values) {
  if (values.empty()) throw std::invalid_argument(fmt::format("the parameter '{}' has no values", name));
  problem_->kernel.parameters.push_back({std::move(name), std::move(values)});
  return *this;
}

Tuner& Tuner::default_values(search::NamedValues values) {
  problem_->kernel.default_values = std::move(values);
  return *this;
}

Tuner& Tuner::size(std::string name, std::int64_t value) {
  problem_->kernel.sizes.emplace_back(std::move(name), value);
  return *this;
}

Tuner& Tuner::variant(std::string name, search::Value value) {
  problem_->kernel.variants.push_back({std::move(name), {std::move(value)}});
  return *this;
}

Tuner& Tuner::constraint(std::string expression) {
  problem_->constraints.push_back({std::move(expression), {}, {}});
  return *this;
}

Tuner& Tuner::constraint(std::vector<std::string> parameters, std::function<bool(const Values&)> predicate) {
  search::Constraint constraint;
  constraint.text = fmt::format("a function of {}", fmt::join(parameters, ", "));
  constraint.names = parameters;
  constraint.predicate = [names = std::move(parameters),
                          predicate = std::move(predicate)](const std::vector<search::Value>& values) {
    search::NamedValues named;
    for (std::size_t i = 0; i < names.size(); ++i) named.emplace_back(names[i], values[i]);
    return predicate(Values(std::move(named)));
  };
  problem_->constraints.push_back(std::move(constraint));
  return *this;
}

Tuner& Tuner::add(std::string name, tuner::ElementType type, tuner::Role role, const void* contents,
                  std::size_t elements, Accuracy accuracy) {
  if (elements == 0) throw std::invalid_argument(fmt::format("the array '{}' is empty", name));
  ArraySpec spec{name, type, role, std::vector<std::byte>(elements * size_bytes(type)), accuracy};
  if (contents) std::memcpy(spec.contents.data(), contents, spec.contents.size());
  problem_->arrays.push_back(std::move(spec));
  tuner::Argument argument;
  argument.name = std::move(name);
  argument.type = argument.reference_type = type;
  argument.role = role;
  problem_->kernel.arguments.push_back(std::move(argument));
  return *this;
}

Tuner& Tuner::launcher(Launcher launch) {
  problem_->launcher = std::move(launch);
  return *this;
}

Tuner& Tuner::reference(ReferenceFunction compute) {
  problem_->reference = std::move(compute);
  return *this;
}

Tuner& Tuner::unverified() {
  problem_->verify = false;
  return *this;
}

Tuner& Tuner::metric(std::string name, MetricFunction compute, bool higher_is_better) {
  tuner::Metric metric{std::move(name), search::Expression::constant(0.0), higher_is_better};
  metric.function = [compute = std::move(compute)](const search::NamedValues& values) {
    return compute(Values(values));
  };
  problem_->kernel.metrics.push_back(std::move(metric));
  return *this;
}

Tuner& Tuner::objective(std::string name) {
  problem_->objective = std::move(name);
  return *this;
}

Tuner& Tuner::strategy(std::string name, search::NamedValues options) {
  problem_->strategy = std::move(name);
  problem_->strategy_options = std::move(options);
  return *this;
}

Tuner& Tuner::seed(std::uint64_t seed) {
  problem_->seed = seed;
  return *this;
}

Tuner& Tuner::device(std::string id) {
  problem_->device = std::move(id);
  return *this;
}

Tuner& Tuner::options(tuner::EvaluatorOptions options) {
  problem_->options = std::move(options);
  return *this;
}

Tuner& Tuner::observer(tuner::SessionObserver& observer) {
  problem_->observer = &observer;
  return *this;
}

Tuner& Tuner::store(std::filesystem::path file, std::string version) {
  problem_->store = std::move(file);
  problem_->version = std::move(version);
  return *this;
}

TunerResult Tuner::run(const search::BudgetLimits& budget, const std::atomic<bool>* stop) {
  Problem& problem = *problem_;
  problem.require_complete();
  problem.kernel.default_values = complete_defaults(problem.kernel);
  const std::vector<tuner::Objective> objectives = make_objectives(problem.kernel, problem.objective);
  const tuner::DeviceInfo device = choose_device(problem.device, problem.options.backend);
  const search::NamedValues constants = problem_constants(resolve_problem(problem.kernel, "", {}).values(), device);
  const search::SearchSpace space = build(problem, constants);
  search::StrategyContext context{space, problem.seed, space.find(problem.kernel.default_values), budget.trials,
                                  problem.strategy_options};
  if (context.start && !space.contains(*context.start)) context.start.reset();
  const auto strategy = make_strategy(problem.strategy, context);
  const auto compiler = backend_of(device).compiler(device, problem.options.backend);
  const tuner::MeasurePolicy policy = policy_of(problem);
  db::Store store = db::Store::open(problem.store, db::OpenMode::read_write);
  const db::SessionId id = open_session(problem, store, problem.key(device, *compiler, constants, policy), space);
  FunctionEvaluator evaluator(problem, space, constants, device, *compiler, policy);
  const std::atomic<bool> never{false};
  tuner::Session session({problem.kernel, space, constants, *strategy, evaluator, store, id, objectives,
                          search::Budget(budget), context.start, stop ? *stop : never, problem.observer});
  session.run();
  return summary(session.result(), space, device);
}

}  // namespace warptune
