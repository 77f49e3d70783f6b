// Knows the versions of the schema on a server, and brings stores up to date. The table `schema_version` has one row,
// the number of the newest migration that ran.
#pragma once

#include "db/migrations.h"

namespace warptune::db {

// Returns the newest version that this program knows. From 013 on it may be higher than a file's.
int newest_postgres_version();

// Returns the version that is there; 0 where there is no store.
int postgres_version_of(Connection& connection);
// Throws StoreError if this user has no role in the store.
SchemaState postgres_schema_state(Connection& connection);

// Makes the schema, or brings an older one up to date, in one transaction.
void migrate_postgres(Connection& connection);

}  // namespace warptune::db
