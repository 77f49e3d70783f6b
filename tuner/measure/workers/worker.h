// Runs the worker's side: a process that obeys its program's requests until the program closes the socket.
#pragma once

#include <string>
#include <vector>

namespace warptune::tuner::workers {

// The main function of a worker: a program that is started as one calls it first and returns its result from main.
// `numbers` are the socket, the program's process and the protocol's version, as Process passes them.
int worker_main(const std::vector<std::string>& numbers);

}  // namespace warptune::tuner::workers
