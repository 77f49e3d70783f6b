// Finds roles by their names.
#include "db/roles.h"

namespace warptune::db {

std::optional<StoreRole> store_role_from_string(std::string_view name) {
  if (name == "reader") return StoreRole::reader;
  if (name == "tuner") return StoreRole::tuner;
  if (name == "owner") return StoreRole::owner;
  return std::nullopt;
}

}  // namespace warptune::db
