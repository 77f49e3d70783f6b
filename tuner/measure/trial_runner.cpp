#include "tuner/measure/trial_runner.h"

#include <fmt/format.h>

#include "tuner/measure/bound_plan.h"
#include "tuner/measure/sampler.h"
#include "tuner/measure/symbols.h"

namespace warptune {

namespace {

using Temporaries = std::map<std::string, std::unique_ptr<GuardedBuffer>>;

constexpr std::uint64_t temporary_seed = 0x7e3f;

void fail(Trial& trial, Outcome outcome, std::string message) {
  trial.outcome = outcome;
  trial.message = std::move(message);
  trial.measurement.reset();
}

}  // namespace

TrialRunner::TrialRunner(const KernelTemplate& kernel, Workload& workload, Device& device, MeasurePolicy policy,
                         std::function<double()> now_s)
    : kernel_(kernel), workload_(workload), device_(device), policy_(policy), now_s_(std::move(now_s)) {}

void TrialRunner::run(const MachineCode& code, const NamedValues& scope, Purpose purpose, Trial& trial) {
  try {
    verify_and_measure(code, scope, purpose, trial);
  } catch (const DeviceError& error) {
    fail(trial, error.outcome(), fmt::format("{} ({})", error.what(), error.code()));
    if (error.sticky()) throw;
  } catch (const ExpressionError& error) {
    fail(trial, Outcome::constraint_violation, fmt::format("its launch cannot be computed: {}", error.what()));
  } catch (const std::invalid_argument& error) {
    fail(trial, Outcome::constraint_violation, fmt::format("its launch cannot be computed: {}", error.what()));
  }
}

Temporaries TrialRunner::allocate_temporaries(const Plan& plan) {
  Temporaries temporaries;
  for (const PlannedBuffer& buffer : plan.buffers)
    temporaries[buffer.argument->name] = std::make_unique<GuardedBuffer>(device_, workload_.kernels(), buffer.bytes());
  return temporaries;
}

// Inputs restored, outputs poisoned, one run, then everything checked; empty if all is right.
std::string TrialRunner::first_fault(const std::function<void()>& run) {
  workload_.restore();
  workload_.poison_outputs();
  run();
  device_.synchronize();
  if (const auto damage = workload_.damage()) return "out of bounds: " + *damage;
  if (!policy_.verify) return {};
  return workload_.mismatch().value_or("");
}

void TrialRunner::verify_and_measure(const MachineCode& code, const NamedValues& scope, Purpose purpose, Trial& trial) {
  const double start = now_s_();
  const auto module = device_.load(code);
  Plan plan = make_plan(kernel_, scope);
  Temporaries temporaries = allocate_temporaries(plan);
  const auto find = [&](const std::string& name) {
    const auto found = temporaries.find(name);
    return found != temporaries.end() ? found->second->span() : workload_.span(name);
  };
  BoundPlan bound(std::move(plan), *module, find, workload_.kernels());
  trial.resources = bound.resources();
  fill_symbols(kernel_, *module, device_, find);

  bool zeroes = false;
  for (const Argument& temporary : kernel_.temporaries) zeroes |= temporary.zero;
  const auto prepare_temporaries = [&](bool poison) {
    for (const Argument& temporary : kernel_.temporaries) {
      const MemorySpan words = temporaries.at(temporary.name)->words();
      if (temporary.zero)
        workload_.kernels().clear(words);
      else if (poison)
        workload_.kernels().poison(words, temporary_seed);
    }
  };
  const auto check = [&] {
    std::string fault = first_fault([&] {
      prepare_temporaries(true);
      bound.run();
    });
    for (auto& [name, buffer] : temporaries)
      if (const auto damage = buffer->damage(workload_.kernels()); damage && fault.empty())
        fault = fmt::format("out of bounds: {} was written {}", name, *damage);
    return fault;
  };
  // A finalist was proved right when it was a trial, and will be measured many times.
  std::string fault = purpose == Purpose::trial ? check() : "";
  trial.phases.verify_ms = (now_s_() - start) * 1e3;
  if (!fault.empty()) return fail(trial, Outcome::wrong_result, fault);

  const double measuring = now_s_();
  MeasurePolicy policy = purpose == Purpose::trial ? policy_ : policy_.for_finalists();
  if (zeroes) policy.min_sample_ms = 0;  // a cleared temporary is good for one run only
  const auto timed = [&](int runs) {
    workload_.restore();
    prepare_temporaries(false);
    return device_.time_ms([&] {
      for (int i = 0; i < runs; ++i) bound.run();
    });
  };
  trial.measurement = sample(timed, now_s_, policy);
  trial.phases.measure_ms = (now_s_() - measuring) * 1e3;
  if (purpose == Purpose::trial) fault = check();
  if (!fault.empty())
    return fail(trial, Outcome::wrong_result, "right at first, wrong when repeated (a race?): " + fault);
  trial.outcome = Outcome::correct;
}

}  // namespace warptune
