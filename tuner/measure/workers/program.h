// Which program serves as worker. Apart from process.h, because requests name it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner::workers {

// How to start a worker: the program, and what stands before the numbers that `worker_main` takes.
struct Program {
  std::filesystem::path file;
  std::vector<std::string> arguments = {"worker"};
};

}  // namespace warptune::tuner::workers
