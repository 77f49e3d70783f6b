// Says how long a connection waits for a server that is gone.
#pragma once

#include <chrono>

namespace warptune::db {

// Read and set the limit of all connections of this process; it is 30 s unless set otherwise. Each connection waits
// once for its lost server. What fails after that wait fails at once, until the server is there again. Both may be
// called from any thread.
std::chrono::milliseconds reconnecting_limit();
void set_reconnecting_limit(std::chrono::milliseconds limit);

}  // namespace warptune::db
