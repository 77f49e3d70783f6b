// Takes over another store's contents.
#pragma once

#include "db/connection.h"

namespace warptune::db {

MergeReport merge_store(Connection& connection, const std::filesystem::path& other, Effect effect);
MergeReport merge_dumps(Connection& connection, std::span<const SessionDump> sessions, const std::string& source,
                        Effect effect);

}  // namespace warptune::db
