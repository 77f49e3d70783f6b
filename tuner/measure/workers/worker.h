// The worker's side: a process that does what it is told until its program closes the socket.
#pragma once

#include <string>
#include <vector>

namespace warptune::tuner::workers {

// What a program that is started as a worker calls first and returns from main. `numbers`: the socket, the program's
// process, the protocol's version, as Process passes them.
int worker_main(const std::vector<std::string>& numbers);

}  // namespace warptune::tuner::workers
