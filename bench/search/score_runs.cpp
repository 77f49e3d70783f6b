// Scores runs that another program made: the other half of verify.py.
//
//   score_runs SPACE [RUNS]
//
// SPACE is a recorded space; RUNS is JSON, an array of runs, each an array of {"configuration": {NAME: value, …},
// "time_s": seconds since the start when it was done}; without time_s, the recorded costs add up. Prints JSON: the
// grid, random search's curve, ours, P, P_direct. Without RUNS: how many evaluations a scored run takes on average.

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "db/interchange/formats.h"
#include "search/compare/curve.h"
#include "search/compare/score.h"
#include "tuner/session/replay/recording.h"

namespace {

using namespace warptune;
using namespace warptune::search;
using namespace warptune::tuner;
using nlohmann::json;

std::uint32_t index_of(const SearchSpace& space, const json& configuration) {
  NamedValues values;
  for (const auto& [name, value] : configuration.items()) values.emplace_back(name, value.get<std::int64_t>());
  const auto found = space.find(values);
  const auto index = found ? space.index_of(*found) : std::nullopt;
  if (!index) throw std::invalid_argument("the space has no configuration " + configuration.dump());
  return static_cast<std::uint32_t>(*index);
}

std::vector<compare::Run> read_runs(const replay::Recording& recording, const char* file) {
  std::vector<compare::Run> runs;
  for (const json& recorded : json::parse(std::ifstream(file))) {
    compare::Run& run = runs.emplace_back();
    double now_s = 0;
    for (const json& step : recorded) {
      const std::uint32_t index = index_of(recording.space(), step["configuration"]);
      now_s = step.contains("time_s") ? step["time_s"].get<double>() : now_s + replay::cost_s(recording.trial(index));
      run.push_back({index, now_s});
    }
  }
  return runs;
}

std::vector<double> objectives_on(const compare::ScoredSpace& space, const std::vector<double>& ranks) {
  std::vector<double> objectives;
  for (double rank : ranks) objectives.push_back(space.objectives()[static_cast<std::size_t>(std::nearbyint(rank))]);
  return objectives;
}

json score(const char* space_file, const char* runs_file) {
  const replay::Recording recording(db::read_recorded_space(space_file), space_file);
  const compare::ScoredSpace space = replay::scored_space(recording);
  const auto runs = read_runs(recording, runs_file);
  std::vector<compare::Trajectory> trajectories;
  for (const compare::Run& run : runs) trajectories.push_back(compare::trajectory(space, run));
  const compare::Score score = compare::score_runs(space, runs);
  Rng rng(1);
  return {{"grid_s", space.grid_s()},
          {"baseline", space.baseline()},
          {"curve", objectives_on(space, compare::isotonic_curve(space, trajectories, rng))},
          {"p", score.p.value},
          {"p_error", score.p.error},
          {"p_direct", score.p_direct.value},
          {"p_direct_error", score.p_direct.error}};
}

json describe(const char* space_file) {
  const replay::Recording recording(db::read_recorded_space(space_file), space_file);
  const compare::ScoredSpace space = replay::scored_space(recording);
  return {{"evaluations", space.run_length_s() / space.mean_cost_s()}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: score_runs SPACE [RUNS]\n";
    return 2;
  }
  try {
    std::cout << (argc == 2 ? describe(argv[1]) : score(argv[1], argv[2])) << '\n';
  } catch (const std::exception& error) {
    std::cerr << fmt::format("score_runs: {}\n", error.what());
    return 1;
  }
}
