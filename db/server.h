// Declares what only stores on a server have: roles, which say who may do what, and a limit of how long a connection
// waits for a server that is gone. The server enforces the roles; this only spells out the grants.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace warptune::db {

enum class StoreRole {
  reader,  // sees everything, changes nothing
  tuner,   // and records sessions, trials, winners; takes work
  owner,   // and brings the schema up to date, grants roles, sets quotas
};

std::optional<StoreRole> store_role_from_string(std::string_view name);

// Gives a role of the server, which exists, just this role's rights in the store; what it had more of is taken back.
// Only stores on a server have roles. Returns a sentence about what the caller has no right to take back; it is empty
// as a rule. Throws StoreError.
std::string grant(const std::string& address, StoreRole role, const std::string& to);

// Read and set the limit of all connections of this process; it is 30 s unless set otherwise. Each connection waits
// once for its lost server. What fails after that wait fails at once, until the server is there again. Both may be
// called from any thread.
std::chrono::milliseconds reconnecting_limit();
void set_reconnecting_limit(std::chrono::milliseconds limit);

}  // namespace warptune::db
