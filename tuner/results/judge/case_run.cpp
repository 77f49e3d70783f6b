// Evaluates both kernels as the two configurations of one template, and compares times by the finals of a session.
#include "tuner/results/judge/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/kernel/evaluation.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/metrics/metrics.h"
#include "tuner/measure/verification/expected_outputs.h"
#include "tuner/results/judge/manifest_json.h"
#include "tuner/session/finals.h"

namespace warptune::tuner::judge {

namespace {

// Returns a policy of few samples for where no time is asked for: what is looked at is what the runs leave.
MeasurePolicy brief(MeasurePolicy policy) {
  policy.precision = 1;
  policy.max_samples = policy.min_samples;
  policy.max_seconds = 0.5;
  return policy;
}

// Returns a space of both configurations, whatever the constraints say of them: what is forbidden is a finding.
search::SearchSpace space_of(const KernelTemplate& kernel) {
  std::vector<search::Configuration> rows;
  for (std::uint32_t i = 0; i < kernel.parameters.front().values.size(); ++i)
    rows.push_back(search::Configuration{std::vector<std::uint32_t>{i}});
  return search::SearchSpace::from_rows(kernel.parameters, rows);
}

// Returns a constraint that a kernel's launches break, its manifest's or the device's; empty if there is none.
std::string broken_constraint(const PreparedProblem& problem, const search::NamedValues& scope) {
  const auto holds = [&](const std::string& constraint) {
    return evaluate_constraint(constraint, at_first_pass(scope)).holds;
  };
  for (const std::string& constraint : problem.kernel.constraints)
    if (!holds(constraint)) return as_written(problem.kernel, constraint, at_first_pass(scope));
  for (const search::Constraint& limit : device_constraints(problem.kernel))
    if (!holds(limit.text)) return limit.in_reports();
  return {};
}

class CaseRun {
 public:
  CaseRun(const TuneRequest& request, const std::atomic<bool>& stop)
      : problem_(prepare_problem(request)),
        space_(space_of(problem_.kernel)),
        opened_(open_evaluator(request, problem_, learn_of_compiler(request, problem_), space_, stop,
                               {.on_expected = [this](const ExpectedOutputs& outputs) { expected_ = outputs; }})) {}

  // Returns the trials of both kernels, the reference's first, or that of the only kernel.
  std::vector<search::Trial> trials() {
    std::vector<search::Trial> found;
    for (std::size_t i = 0; i < problem_.kernel.parameters.front().values.size(); ++i) found.push_back(trial(i));
    return found;
  }

  FinalsHeld compare(const std::vector<search::Trial>& trials, double seconds, const std::atomic<bool>& stop) {
    const FinalsCost cost = [](const search::Trial&, const search::Measurement& measured) {
      return measured.median_ms;
    };
    return run_finals(*opened_.evaluator, trials, {0, 1}, cost, {2, seconds, true, 1}, stop, [](auto, auto) {});
  }

  // Returns the bytes that a run has to move: those that it writes at least, or as many as the manifest states if that
  // is more.
  double bytes() const {
    double written = 0;
    for (const Argument& argument : problem_.kernel.arguments) {
      if (!argument.is_output()) continue;
      const PlannedBuffer plan = plan_buffer(argument, problem_.constants);
      const double counts = argument.counts ? search::to_double(argument.counts->evaluate(problem_.constants))
                                            : static_cast<double>(plan.elements);
      written += counts * static_cast<double>(size_bytes(argument.type));
    }
    const search::Work work = evaluate_work(problem_.kernel, scope_of(problem_.constants, space_.values(space_.at(0))));
    return std::max(written, work.bytes.value_or(0));
  }

  const DeviceInfo& device() const { return problem_.device(); }
  const KernelTemplate& kernel() const { return problem_.kernel; }
  // Returns what is expected of the outputs, which is known once a trial is.
  const ExpectedOutputs& expected() const { return expected_; }

 private:
  search::Trial trial(std::size_t row) {
    const search::Configuration configuration = space_.at(row);
    const std::string broken = broken_constraint(problem_, scope_of(problem_.constants, space_.values(configuration)));
    if (broken.empty()) {
      opened_.evaluator->submit({configuration});
      return opened_.evaluator->next();
    }
    search::Trial forbidden;
    forbidden.configuration = configuration;
    forbidden.outcome = search::Outcome::constraint_violation;
    forbidden.message = "not satisfied: " + broken;
    return forbidden;
  }

  PreparedProblem problem_;
  search::SearchSpace space_;
  ExpectedOutputs expected_;
  OpenEvaluator opened_;
};

// Returns the candidate's speed-up over the reference. The winner is the first of the finalists.
SpeedUp speed_up_of(const FinalsResult& result) {
  const Finalist& other = result.finalists.at(1);
  SpeedUp up{1 + other.slower_by, 1 + other.slower_low, 1 + other.slower_high, other.tied};
  const bool faster = result.finalists.front().trial == 1;
  return faster ? up : SpeedUp{1 / up.estimate, 1 / up.high, 1 / up.low, up.tied};
}

// Compares the times of both kernels. The candidate may turn out to be wrong on the way.
std::optional<Comparison> compared(CaseRun& run, const std::vector<search::Trial>& trials, double seconds,
                                   const std::atomic<bool>& stop, Case& each) {
  const FinalsHeld held = run.compare(trials, seconds, stop);
  if (const auto wrong = held.wrong.find(1); wrong != held.wrong.end()) each.candidate = wrong->second;
  const auto& result = held.result;
  if (!result || result->finalists.size() != 2) return std::nullopt;
  Comparison comparison{each.problem, 0, 0, result->rounds, speed_up_of(*result), {}};
  for (const Finalist& finalist : result->finalists)
    (finalist.trial == 1 ? comparison.candidate_ms : comparison.reference_ms) = finalist.time_ms;
  comparison.implausible = implausibility(run.device(), run.bytes(), comparison.candidate_ms);
  return comparison;
}

}  // namespace

std::optional<Comparison> run_case(const Json& manifest, const TuneRequest& request, double seconds,
                                   const std::atomic<bool>& stop, Case& each, std::vector<std::string>& notes) {
  write_manifest(manifest, request.manifest);
  TuneRequest own = request;
  own.preset.clear();
  own.sizes = each.problem.sizes;
  own.variants = each.problem.variants;
  each.set_aside.clear();
  each.reference_failed = false;
  each.expected.clear();
  if (seconds <= 0) own.evaluator.policy = brief(own.evaluator.policy);
  try {
    CaseRun run(own, stop);
    std::vector<search::Trial> trials = run.trials();
    each.candidate = trials.back();
    each.expected = run.expected();
    each.reference_failed = trials.size() > 1 && !trials.front().correct();
    if (each.reference_failed)
      each.set_aside = fmt::format("the reference itself: {}{}{}", to_string(trials.front().outcome),
                                   trials.front().message.empty() ? "" : ": ", trials.front().message);
    else if (each.candidate.correct())
      each.set_aside = why_it_tells_nothing(run.kernel(), each.expected);
    if (each.set_aside.empty() && each.asked_for && each.inputs == Inputs::as_drawn)
      for (std::string& note : notes_on(run.kernel(), each.expected))
        if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
    if (trials.size() == 1) return std::nullopt;
    if (seconds <= 0 || !each.set_aside.empty() || !each.candidate.correct()) return std::nullopt;
    return compared(run, trials, seconds, stop, each);
  } catch (const search::Error& error) {
    // A problem that cannot be set up is a finding about the reference, or about the size where that is only near one
    // that was asked for.
    if (error.kind() == search::ErrorKind::device_lost || error.kind() == search::ErrorKind::no_device) throw;
    if (each.asked_for && error.kind() != search::ErrorKind::workload) throw;
    each.set_aside = error.what();
    each.reference_failed = true;
    return std::nullopt;
  }
}

}  // namespace warptune::tuner::judge
