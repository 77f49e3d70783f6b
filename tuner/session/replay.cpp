// Reads recordings in the formats of db/interchange and makes problems of them.
#include "tuner/session/replay.h"

#include <fmt/format.h>

#include <filesystem>

#include "db/interchange/formats.h"
#include "db/interchange/sessions.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {

namespace {

constexpr std::string_view kPrefix = "replay:";

void require_nothing_else(const TuneRequest& request) {
  const auto refuse = [&](const char* what) {
    throw RequestError(fmt::format("{} brings its own space and sizes; leave {} out", request.device, what));
  };
  if (!request.manifest.empty()) refuse("the template");
  if (!request.capture.empty()) refuse("--capture");
  if (!request.restrictions.empty()) refuse("--restrict");
  if (!request.sizes.empty() || !request.variants.empty() || !request.preset.empty())
    refuse("--size, --variant and --preset");
}

db::RecordedSpace read_recording(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
    throw RequestError(file.string() + " cannot be replayed: it is no regular file");
  db::RecordedSpace recorded = db::read_recorded_space(file);
  if (recorded.trials.empty()) throw RequestError(file.string() + " holds no trial, so there is nothing to replay");
  if (recorded.kernel.empty()) recorded.kernel = file.stem().stem().string();
  return recorded;
}

// Throws RequestError for an objective that was not recorded. A request says "time" when nobody chose an objective.
void require_recorded_objective(const TuneRequest& request, const db::RecordedSpace& recorded) {
  const std::string& objective = recorded.objectives.front();
  if (request.objective != "time" && request.objective != objective)
    throw RequestError(fmt::format("{} was recorded for the objective '{}', so '{}' cannot be minimised on it",
                                   request.device, objective, request.objective));
}

// Returns a template that stands for the recording. The recorded trials are rated already, so it needs only the name
// and the direction of the objective.
KernelTemplate recorded_kernel(const db::RecordedSpace& recorded) {
  KernelTemplate kernel;
  kernel.name = recorded.kernel;
  kernel.parameters = recorded.parameters;
  kernel.notes = recorded.notes;
  const std::string& objective = recorded.objectives.front();
  if (objective != "time")
    kernel.metrics.push_back(
        {objective, search::Expression::constant(std::int64_t{0}), db::higher_is_better(recorded, 0)});
  return kernel;
}

}  // namespace

bool names_recording(const std::string& device) {
  return device.starts_with(kPrefix);
}

PreparedProblem replayed_problem(const TuneRequest& request) {
  require_nothing_else(request);
  const std::string file = request.device.substr(kPrefix.size());
  const db::RecordedSpace recorded = read_recording(file);
  require_recorded_objective(request, recorded);
  PreparedProblem problem;
  problem.kernel = recorded_kernel(recorded);
  problem.recording = std::make_shared<const replay::Recording>(recorded, file);
  problem.recorded_as = db::session_record(recorded).key;
  problem.devices = {problem.recording->device()};
  problem.instance = {problem.recorded_as.problem_size, problem.recorded_as.variants};
  problem.constants = problem.instance.values();
  return problem;
}

db::SessionKey replay_key(const TuneRequest& request, const PreparedProblem& problem) {
  db::SessionKey key = problem.recorded_as;
  key.policy = fmt::format("replayed strategy={} seed={}", request.strategy, request.seed);
  for (const auto& [name, value] : request.strategy_options)
    key.policy += fmt::format(" {}={}", name, search::to_text(value));
  return key;
}

}  // namespace warptune::tuner
