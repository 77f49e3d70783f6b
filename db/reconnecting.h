// How long a store on a server is waited for that is gone.
#pragma once

#include <chrono>

namespace warptune::db {

// Of all connections of this process; 30 s unless said otherwise. Each waits once for its lost server: what fails
// behind that wait fails at once, until the server is there again. From any thread.
std::chrono::milliseconds reconnecting_limit();
void set_reconnecting_limit(std::chrono::milliseconds limit);

}  // namespace warptune::db
