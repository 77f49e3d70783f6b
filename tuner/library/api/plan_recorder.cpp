// Checks what a launcher queues before it writes it down.
#include "tuner/library/api/plan_recorder.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptune {

namespace {

void require_positive(const std::string& kernel, const tuner::Dim3& extent, const char* what) {
  if (extent.x >= 1 && extent.y >= 1 && extent.z >= 1) return;
  throw std::invalid_argument(fmt::format("the launcher gives {} a {} of {} x {} x {}; expected at least 1 each",
                                          kernel, what, extent.x, extent.y, extent.z));
}

}  // namespace

void PlanRecorder::launch(const std::string& kernel, const tuner::LaunchGeometry& geometry,
                          std::vector<RunArgument> arguments) {
  const auto has = [&](const Tuner::Problem::Source& source) {
    return std::ranges::find(source.kernels, kernel) != source.kernels.end();
  };
  if (std::ranges::none_of(problem_.sources, has))
    throw std::invalid_argument(
        fmt::format("the launcher names a kernel '{}' that no source was declared with", kernel));
  require_positive(kernel, geometry.grid, "grid");
  require_positive(kernel, geometry.block, "block");
  tuner::PlannedLaunch planned;
  planned.kernel = kernel;
  planned.geometry = geometry;
  planned.clear = std::move(to_clear_);
  to_clear_.clear();
  for (RunArgument& argument : arguments) {
    tuner::PlannedArgument& bound = planned.arguments.emplace_back();
    bound.buffer = std::move(argument.array);
    bound.scalar = argument.bytes;
    bound.bytes = argument.size;
    bound.label = bound.buffer.empty() ? "a number" : bound.buffer;
  }
  launches_.push_back(std::move(planned));
}

DeviceArray PlanRecorder::array(const std::string& name) {
  if (std::ranges::find(problem_.arrays, name, &ArraySpec::name) == problem_.arrays.end())
    throw std::invalid_argument(
        fmt::format("the launcher of {} names an array '{}' that there is none of", problem_.name, name));
  return {name};
}

void PlanRecorder::clear(const std::string& name) {
  to_clear_.push_back(array(name).name);
}

std::vector<tuner::PlannedLaunch> PlanRecorder::take() {
  if (!to_clear_.empty())
    throw std::invalid_argument(
        fmt::format("the launcher of {} clears '{}' after its last launch, where nothing reads it", problem_.name,
                    to_clear_.front()));
  if (launches_.empty()) throw std::invalid_argument(fmt::format("the launcher of {} launches nothing", problem_.name));
  return std::move(launches_);
}

}  // namespace warptune
