#include "db/reconnecting.h"

#include <atomic>

namespace warptune::db {

namespace {

// For the process, as a program's configuration: a parameter of the address would be libpq's, which refuses others.
std::atomic<std::chrono::milliseconds> longest_wait{std::chrono::seconds(30)};

}  // namespace

std::chrono::milliseconds reconnecting_limit() {
  return longest_wait.load();
}

void set_reconnecting_limit(std::chrono::milliseconds wanted) {
  longest_wait.store(wanted);
}

}  // namespace warptune::db
