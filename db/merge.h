// Taking over another store's contents.
#pragma once

#include "db/connection.h"

namespace warptune::db {

MergeReport merge_store(Connection& connection, const std::filesystem::path& other);

}  // namespace warptune::db
