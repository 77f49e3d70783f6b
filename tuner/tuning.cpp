#include "tuner/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/device_choice.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/template_file.h"
#include "tuner/provenance.h"

namespace warptune {

namespace {

// On the host the manifest's small preset is what a newcomer wants; a GPU gets the defaults.
std::string effective_preset(const TuneRequest& request, const KernelTemplate& kernel, const DeviceInfo& device) {
  if (request.preset.empty() && device.backend == "host" && kernel.presets.contains("host")) return "host";
  return request.preset;
}

double threads(const Launch& launch, const NamedValues& scope) {
  double product = 1;
  for (const Expression& dimension : launch.block) product *= to_double(dimension.evaluate(scope));
  return product;
}

// Of the largest launch, in its first pass. A geometry that cannot be evaluated never runs: a block of one thread.
double threads_per_block(const KernelTemplate& kernel, NamedValues scope) {
  scope.emplace_back("pass", std::int64_t{0});
  double most = 1;
  try {
    for (const Launch& launch : kernel.launches) most = std::max(most, threads(launch, scope));
  } catch (const ExpressionError&) {
    return 1;
  }
  return most;
}

std::optional<Capture> captured(const TuneRequest& request) {
  if (request.capture.empty()) return std::nullopt;
  return read_capture(request.capture);
}

KernelTemplate load_kernel(const TuneRequest& request, const std::optional<Capture>& capture) {
  KernelTemplate kernel = load_template(request.manifest);
  if (capture) apply_capture(*capture, kernel);
  return kernel;
}

// A capture's data has its sizes and no others.
NamedValues wanted_sizes(const TuneRequest& request, const std::optional<Capture>& capture) {
  if (!capture) return request.sizes;
  if (!request.sizes.empty() || !request.preset.empty())
    throw RequestError(
        fmt::format("the sizes are those of the capture {}; leave --size and --preset out", request.capture.string()));
  return capture->sizes;
}

}  // namespace

Tuning::Tuning(TuneRequest request, db::Store& store, const std::atomic<bool>& stop, SessionObserver* observer)
    : request_(std::move(request)),
      capture_(captured(request_)),
      kernel_(load_kernel(request_, capture_)),
      device_(choose_device(request_.device, request_.evaluator.backend)),
      sizes_(resolve_sizes(kernel_, effective_preset(request_, kernel_, device_), wanted_sizes(request_, capture_))),
      constants_(problem_constants(sizes_, device_)),
      objectives_(make_objectives(kernel_, request_.objective)) {
  prepare_objectives();
  build_space_or_throw();
  StrategyContext context{*space_, request_.seed, {}, request_.budget.trials, request_.strategy_options};
  context.start = space_->find(kernel_.default_values);
  if (context.start && !space_->contains(*context.start)) context.start.reset();
  context.threads_per_block = [this](const Configuration& configuration) {
    NamedValues scope = constants_;
    for (auto& value : space_->values(configuration)) scope.push_back(std::move(value));
    return threads_per_block(kernel_, std::move(scope));
  };
  strategy_ = make_strategy(request_.strategy, context);
  id_ = find_or_create(store);
  evaluator_ = std::make_unique<DeviceEvaluator>(kernel_, *space_, constants_, device_, request_.evaluator);
  session_ = std::make_unique<Session>(SessionParts{
      kernel_, *space_, constants_, *strategy_, *evaluator_, store, id_, objectives_, Budget(request_.budget),
      context.start, stop, observer, FinalsOptions{.candidates = request_.finals, .seed = request_.seed}});
}

// The request speaks of objectives as people do: a target of 5000 GFLOP/s is a minimum of -5000.
void Tuning::prepare_objectives() {
  if (request_.budget.target) request_.budget.target = objectives_.front().shown(*request_.budget.target);
  if (!std::ranges::any_of(objectives_, &Objective::needs_energy)) return;
  if (device_.power_limit_w == 0)
    throw RequestError(fmt::format(
        "the energy of a run is asked for, and {} does not tell it: that needs a GPU with NVML (libnvidia-ml.so.1)",
        device_.id));
  request_.evaluator.policy.energy = true;
}

void Tuning::build_space_or_throw() {
  try {
    space_ = std::make_unique<SearchSpace>(build_space(kernel_, constants_));
  } catch (const ExpressionError& error) {
    throw RequestError(fmt::format("a constraint of {} cannot be evaluated: {} (column {})", kernel_.manifest.string(),
                                   error.what(), error.column()));
  } catch (const std::invalid_argument& error) {
    throw RequestError(
        fmt::format("the search space of {} cannot be built: {}", kernel_.manifest.string(), error.what()));
  }
  if (!space_->empty()) return;
  throw RequestError(
      fmt::format("no configuration of {} satisfies all constraints for {} on {}. These contradict each other:\n  {}",
                  kernel_.name, to_text(sizes_), device_.id, fmt::join(space_->contradiction(), "\n  ")));
}

db::SessionId Tuning::find_or_create(db::Store& store) {
  const auto compiler = [&] {
    for (const BackendEntry& backend : backends())
      if (backend.name == device_.backend) return backend.compiler(device_, request_.evaluator.backend);
    throw NoDeviceError("no backend for " + device_.id);
  }();
  db::SessionRecord record;
  record.key = session_key(kernel_, device_, *compiler, sizes_, constants_, request_.evaluator.policy);
  if (capture_) record.key.policy += " capture=" + capture_hash(*capture_);  // other data may have other times
  if (const auto known = store.find_session(record.key)) return known->id;
  record.strategy = request_.strategy;
  record.seed = request_.seed;
  record.objective = request_.objective;
  record.space_size = to_text(space_->size());
  record.tool_version = tool_version;
  record.manifest = std::filesystem::absolute(request_.manifest).string();
  return store.create_session(record);
}

}  // namespace warptune
