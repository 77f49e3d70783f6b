// Names the program that serves as worker. It is apart from process.h, because requests name it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner::workers {

// Says how to start a worker: the program, and the arguments before the numbers that `worker_main` takes.
struct Program {
  std::filesystem::path file;
  std::vector<std::string> arguments = {"worker"};
};

}  // namespace warptune::tuner::workers
