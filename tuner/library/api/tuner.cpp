// Implements the builder, and the session that it runs: the same Tuning tunes a prepared problem like a manifest's.
#include "tuner/library/api/tuner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "tuner/device/backends/device_choice.h"
#include "tuner/kernel/names.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/program.h"
#include "tuner/library/api/problem.h"
#include "tuner/library/api/summary.h"
#include "tuner/session/tuning.h"

namespace warptune {

Tuner::Tuner(std::string name) : problem_(std::make_unique<Problem>()) {
  problem_->name = std::move(name);
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
  problem_->require_new("parameter", name);
  problem_->parameters.push_back({std::move(name), std::move(values)});
  return *this;
}

Tuner& Tuner::default_values(search::NamedValues values) {
  problem_->default_values = std::move(values);
  return *this;
}

Tuner& Tuner::size(std::string name, std::int64_t value) {
  problem_->require_new("size", name);
  if (value < 1)
    throw std::invalid_argument(
        fmt::format("the size {}={} of {}: expected a positive integer", name, value, problem_->name));
  problem_->sizes.emplace_back(std::move(name), value);
  return *this;
}

Tuner& Tuner::variant(std::string name, search::Value value) {
  problem_->require_new("variant", name);
  for (const std::string& wrong : {tuner::wrong_variant_name(name), tuner::wrong_variant_value(value)})
    if (!wrong.empty()) problem_->refuse("variant", name, wrong);
  problem_->variants.push_back({std::move(name), {std::move(value)}});
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
  if (std::ranges::find(problem_->arrays, name, &ArraySpec::name) != problem_->arrays.end())
    problem_->refuse("array", name, "an array has the same name; expected another name");
  ArraySpec spec{std::move(name), type, role, std::vector<std::byte>(elements * size_bytes(type)), accuracy};
  if (contents) std::memcpy(spec.contents.data(), contents, spec.contents.size());
  problem_->arrays.push_back(std::move(spec));
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
  problem_->require_new_metric(name);
  tuner::Metric metric{std::move(name), search::Expression::constant(0.0), higher_is_better};
  metric.function = [compute = std::move(compute)](const search::NamedValues& values) {
    return compute(Values(values));
  };
  problem_->metrics.push_back(std::move(metric));
  return *this;
}

Tuner& Tuner::objective(std::string name) {
  problem_->request.objective = std::move(name);
  return *this;
}

Tuner& Tuner::strategy(std::string name, search::NamedValues options) {
  problem_->request.strategy = std::move(name);
  problem_->request.strategy_options = std::move(options);
  return *this;
}

Tuner& Tuner::seed(std::uint64_t seed) {
  problem_->request.seed = seed;
  return *this;
}

Tuner& Tuner::device(std::string id) {
  problem_->request.device = std::move(id);
  return *this;
}

Tuner& Tuner::options(tuner::EvaluatorOptions options) {
  problem_->request.evaluator = std::move(options);
  return *this;
}

Tuner& Tuner::finals(std::size_t candidates) {
  problem_->request.finals = candidates;
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

// Calls the launcher for the default configuration. A misspelt name in it is the program's mistake, and no
// configuration's, so it is told before anything is measured.
static void require_names(const tuner::KernelTemplate& kernel, const search::NamedValues& constants) {
  kernel.program->launches(tuner::scope_of(constants, kernel.default_values));
}

TunerResult Tuner::run(const search::BudgetLimits& budget, const std::atomic<bool>* stop) {
  static const std::atomic<bool> never{false};
  problem_->require_complete();
  tuner::TuneRequest request = problem_->request;
  request.budget = budget;
  request.started = std::chrono::steady_clock::now();
  if (!problem_->verify) request.evaluator.policy.verify = tuner::Verify::never;
  tuner::PreparedProblem prepared;
  prepared.kernel = problem_->kernel_template();
  prepared.devices = {tuner::choose_device(request.device, request.evaluator.backend)};
  prepared.instance = resolve_problem(prepared.kernel, "", {});
  prepared.constants = problem_constants(prepared.instance.values(), prepared.device());
  require_names(prepared.kernel, prepared.constants);
  db::Store store = db::Store::open(problem_->store, db::OpenMode::read_write);
  tuner::Tuning tuning(std::move(request), std::move(prepared), store, stop ? *stop : never, problem_->observer);
  tuning.session().run();
  return summarize(tuning.session().result(), tuning.space(), tuning.device());
}

}  // namespace warptune
