#include "python/src/outputs.h"

#include <fmt/format.h>

#include "tuner/device/backend.h"
#include "tuner/device/backends/device_choice.h"
#include "tuner/device/device.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/measure/verification/independent_runs.h"
#include "tuner/measure/verification/workload.h"
#include "tuner/session/preparation.h"

namespace warptune::python {

namespace {

search::NamedValues complete(const tuner::KernelTemplate& kernel, const search::NamedValues& configuration) {
  search::NamedValues values;
  for (const search::Parameter& parameter : kernel.parameters) {
    const search::Value* value = search::find_value(configuration, parameter.name);
    if (!value) value = search::find_value(kernel.default_values, parameter.name);
    values.emplace_back(parameter.name, *value);
  }
  return values;
}

tuner::TuneRequest without_workers(tuner::TuneRequest request) {
  request.workers.reset();
  return request;
}

}  // namespace

OutputRuns::OutputRuns(const tuner::TuneRequest& request)
    : request_(without_workers(request)),
      problem_(tuner::prepare_problem(request_)),
      device_(tuner::backend_of(problem_.device()).open(problem_.device(), request_.evaluator.backend)),
      compiler_(tuner::cached_compiler(problem_.device(), request_.evaluator)),
      workload_(problem_.kernel, problem_.constants, *device_, *compiler_, request_.evaluator.backend, false) {}

std::map<std::string, std::vector<std::byte>> OutputRuns::run(const search::NamedValues& configuration) {
  const tuner::KernelTemplate& kernel = problem_.kernel;
  const search::NamedValues values = complete(kernel, configuration);
  const search::NamedValues scope = tuner::scope_of(problem_.constants, values);
  const auto compiled = compiler_->compile(tuner::compile_request(kernel, problem_.device().backend, values, scope));
  if (!compiled.code)
    throw search::Error(search::ErrorKind::request, fmt::format("{} does not compile with {}: {}", kernel.name,
                                                                search::to_text(values), compiled.log));
  const auto module = tuner::load_all(*device_, *compiled.code);
  const tuner::Plan plan = tuner::make_plan(kernel, scope);
  workload_.make_room(plan);
  tuner::IndependentRuns runs(kernel, workload_, *module, plan);
  runs.single(true);
  if (const auto judgement = runs.inspect(true); !judgement.fault.empty())
    throw search::Error(search::ErrorKind::request,
                        fmt::format("{} with {}: {}", kernel.name, search::to_text(values), judgement.fault));
  std::map<std::string, std::vector<std::byte>> outputs;
  for (const tuner::Argument& argument : kernel.arguments) {
    if (!argument.is_output()) continue;
    const tuner::MemorySpan span = workload_.span(argument.name);
    outputs[argument.name].resize(span.bytes);
    device_->download(outputs[argument.name], span);
  }
  return outputs;
}

}  // namespace warptune::python
