// Runs a program to its end, without a shell.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner::host {

struct ChildResult {
  int exit_status = -1;    // 128 + signal if it was killed
  bool timed_out = false;  // it and all its children were killed
  std::string output;      // stdout, bounded
  std::string log;         // stderr, bounded; says so where it was cut
};

struct ChildLimits {
  // If it is infinite, there is no limit, and the child stays in this process's group, so that whoever ends the group
  // ends it too.
  double timeout_s = 60;
  std::size_t output_bytes = std::size_t{64} << 20;
  std::size_t log_bytes = std::size_t{64} << 10;
};

// `command[0]` is looked up in PATH. `input` becomes its stdin; its messages are in English. Throws std::system_error
// if it cannot be started.
ChildResult run_child(const std::vector<std::string>& command, std::string_view input, const ChildLimits& limits);

}  // namespace warptune::tuner::host
