#include "tuner/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner/device_choice.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/template_file.h"
#include "tuner/provenance.h"
#include "tuner/workers/device_query.h"
#include "tuner/workers/pool.h"

namespace warptune {

namespace {

// On the host the manifest's small preset is what a newcomer wants; a GPU gets the defaults.
std::string effective_preset(const TuneRequest& request, const KernelTemplate& kernel, const DeviceInfo& device) {
  if (request.preset.empty() && device.backend == "host" && kernel.presets.contains("host")) return "host";
  return request.preset;
}

KernelTemplate load_template_of(const TuneRequest& request) {
  KernelTemplate kernel = load_template(request.manifest);
  kernel.include_directories.insert(kernel.include_directories.end(), request.include_directories.begin(),
                                    request.include_directories.end());
  return kernel;
}

std::vector<DeviceInfo> find_devices(const TuneRequest& request) {
  const BackendOptions& options = request.evaluator.backend;
  if (request.workers) return choose_devices(workers::list_devices(*request.workers, options), request.device);
  auto devices = choose_devices(list_devices(options), request.device);
  if (devices.size() > 1)
    throw RequestError(fmt::format("{} are several devices, which only workers measure on", request.device));
  return devices;
}

}  // namespace

Tuning::Tuning(TuneRequest request, db::Store& store, const std::atomic<bool>& stop, SessionObserver* observer)
    : request_(std::move(request)),
      kernel_(load_template_of(request_)),
      devices_(find_devices(request_)),
      sizes_(resolve_sizes(kernel_, effective_preset(request_, kernel_, device()), request_.sizes)),
      constants_(problem_constants(sizes_, device())),
      objective_(kernel_, request_.objective) {
  build_space_or_throw();
  StrategyContext context{*space_, request_.seed, {}, request_.budget.trials, request_.strategy_options};
  context.start = space_->find(kernel_.default_values);
  if (context.start && !space_->contains(*context.start)) context.start.reset();
  strategy_ = make_strategy(request_.strategy, context);
  const CompilerFacts compiler = learn_of_compiler();
  request_.evaluator.cache_salt = compiler_salt(compiler);
  id_ = find_or_create(store, compiler);
  open_evaluator(stop);
  session_ =
      std::make_unique<Session>(SessionParts{kernel_, *space_, constants_, *strategy_, *evaluator_, store, id_,
                                             objective_, Budget(request_.budget), context.start, stop, observer});
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
                  kernel_.name, to_text(sizes_), device().id, fmt::join(space_->contradiction(), "\n  ")));
}

workers::Setup Tuning::worker_setup() const {
  return {request_.manifest, request_.include_directories, constants_, request_.evaluator};
}

CompilerFacts Tuning::learn_of_compiler() const {
  if (request_.workers) return workers::compiler_facts(*request_.workers, worker_setup(), device());
  const auto compiler = backend_of(device()).compiler(device(), request_.evaluator.backend);
  return compiler_facts(kernel_, device().backend, *compiler, constants_);
}

void Tuning::open_evaluator(const std::atomic<bool>& stop) {
  if (!request_.workers) {
    evaluator_ = std::make_unique<DeviceEvaluator>(kernel_, *space_, constants_, device(), request_.evaluator);
    return;
  }
  const workers::PoolOptions options{*request_.workers, request_.lookahead, request_.deterministic, &stop};
  auto pool = std::make_unique<workers::WorkerPool>(*space_, worker_setup(), devices_, options);
  pool_ = pool.get();
  evaluator_ = std::move(pool);
}

std::string Tuning::notes() const {
  if (!pool_) return {};
  const auto& counts = pool_->compile_counts();
  std::string text = fmt::format("{} compiled, {} from the cache", counts.compiled, counts.from_cache);
  for (const std::string& lost : pool_->lost_devices()) text += "; " + lost;
  return text;
}

db::SessionId Tuning::find_or_create(db::Store& store, const CompilerFacts& compiler) {
  db::SessionRecord record;
  record.key = session_key(kernel_, device(), compiler, sizes_, constants_, request_.evaluator.policy);
  if (const auto known = store.find_session(record.key)) return known->id;
  record.strategy = request_.strategy;
  record.seed = request_.seed;
  record.objective = request_.objective;
  record.space_size = to_text(space_->size());
  record.tool_version = tool_version;
  return store.create_session(record);
}

}  // namespace warptune
