// Declares roles, which say who may do what with a store on a server. The server enforces them; this only spells out
// the grants.
#pragma once

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

}  // namespace warptune::db
