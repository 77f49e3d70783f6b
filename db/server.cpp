// Finds roles by their names, and keeps the limit in one atomic variable.
#include "db/server.h"

#include <atomic>

namespace warptune::db {

namespace {

// The limit holds for the process, as a program's configuration does. A parameter of the address would be libpq's,
// which refuses parameters that it does not know.
std::atomic<std::chrono::milliseconds> longest_wait{std::chrono::seconds(30)};

}  // namespace

std::optional<StoreRole> store_role_from_string(std::string_view name) {
  if (name == "reader") return StoreRole::reader;
  if (name == "tuner") return StoreRole::tuner;
  if (name == "owner") return StoreRole::owner;
  return std::nullopt;
}

std::chrono::milliseconds reconnecting_limit() {
  return longest_wait.load();
}

void set_reconnecting_limit(std::chrono::milliseconds wanted) {
  longest_wait.store(wanted);
}

}  // namespace warptune::db
