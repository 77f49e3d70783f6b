// Keeps the limit in one atomic variable.
#include "db/reconnecting.h"

#include <atomic>

namespace warptune::db {

namespace {

// The limit holds for the process, as a program's configuration does. A parameter of the address would be libpq's,
// which refuses parameters that it does not know.
std::atomic<std::chrono::milliseconds> longest_wait{std::chrono::seconds(30)};

}  // namespace

std::chrono::milliseconds reconnecting_limit() {
  return longest_wait.load();
}

void set_reconnecting_limit(std::chrono::milliseconds wanted) {
  longest_wait.store(wanted);
}

}  // namespace warptune::db
