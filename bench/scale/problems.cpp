#include "bench/scale/problems.h"

#include <filesystem>

#include "tuner/session/replay.h"

namespace warptune::tuner::bench {

namespace {

std::string name_of(const std::filesystem::path& file) {
  return file.parent_path().filename().string() + '/' + file.stem().stem().string();
}

// Recorded seconds between two trials where all is busy: compilers or devices, whichever are behind.
double mean_interval_s(const replay::Recording& recording, const Machine& machine) {
  double compile_s = 0, device_s = 0;
  for (std::size_t i = 0; i < recording.size(); ++i) {
    const double compiling_s = recording.trial(i).phases.compile_ms / 1e3;
    compile_s += compiling_s;
    device_s += replay::cost_s(recording.trial(i)) - compiling_s;
  }
  const auto trials = static_cast<double>(recording.size());
  const auto devices = static_cast<double>(machine.devices), compilers = static_cast<double>(machine.compilers);
  if (machine.compilers == 0) return (compile_s + device_s) / trials / devices;
  return std::max(compile_s / compilers, device_s / devices) / trials;
}

}  // namespace

Problems read_problems(const std::vector<std::string>& files) {
  Problems problems;
  for (const std::string& file : files) {
    TuneRequest request;
    request.device = "replay:" + file;
    problems.emplace(name_of(file), replayed_problem(request));
  }
  return problems;
}

double speed_for(const PreparedProblem& problem, const Machine& machine, double trials_per_second) {
  return mean_interval_s(*problem.recording, machine) * trials_per_second;
}

SessionResult run_session(const SimulatedSession& parts, db::SessionId id) {
  const replay::Recording& recording = *parts.problem.recording;
  Session session({parts.problem.kernel,
                   recording.space(),
                   {},
                   parts.strategy,
                   parts.evaluator,
                   parts.store,
                   id,
                   make_objectives(parts.problem.kernel, recording.objectives().front()),
                   search::Budget(parts.limits),
                   std::nullopt,
                   parts.stop});
  session.run();
  return session.result();
}

db::SessionRecord session_row(const PreparedProblem& problem, const std::string& strategy, std::int64_t number) {
  db::SessionRecord row;
  row.key = problem.recorded_as;
  row.key.policy = "simulated";
  row.key.problem_size.emplace_back("session", number);
  row.strategy = strategy;
  row.seed = static_cast<std::uint64_t>(number);
  row.objective = problem.recording->objectives().front();
  row.space_size = std::to_string(problem.recording->size());
  return row;
}

}  // namespace warptune::tuner::bench
