// Makes the lines of text that show a session while it runs, from the session's state. The functions are pure, so that
// they can be tested; progress.h draws the lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner::cli {

struct DisplayState {
  enum class Phase { setup, search, finals };
  Phase phase = Phase::setup;
  std::string step;        // of the set-up: "compiling the reference …"
  double elapsed_s = 0;    // since the user asked
  double step_s = 0;       // since the step began
  double searching_s = 0;  // since the set-up ended
  std::size_t done = 0, failed = 0;
  std::optional<std::size_t> most_trials;
  std::optional<double> most_seconds;
  std::string best;                       // "0.1204 ms, 1140 GFLOP/s"; empty: none yet
  std::vector<double> bests;              // the best cost after each trial; less is better
  std::size_t round = 0, candidates = 0;  // of the finals
  std::size_t size = 0, sizes = 0;        // which of several problems, from 1 on; 0: there is one only
};

struct DisplayStyle {
  std::size_t width = 80;  // characters a line may have
  bool unicode = true;
};

// Returns one line, or two once there is a best. None is wider than the width.
std::vector<std::string> display_lines(const DisplayState& state, const DisplayStyle& style);

// Returns the same in one line, without a limit of its width and without a curve, for output that is no terminal.
std::string plain_line(const DisplayState& state);

// Returns a curve of at most `columns` characters of different height, where high is slow. The height is logarithmic,
// for late gains are small ones.
std::string sparkline(const std::vector<double>& costs, std::size_t columns, bool unicode);

}  // namespace warptune::tuner::cli
