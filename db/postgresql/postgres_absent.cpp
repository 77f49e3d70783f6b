// Refuses stores that have an address, in a build without PostgreSQL (WARPTUNE_POSTGRESQL=OFF).
#include "db/schema/open.h"
#include "db/server.h"

namespace warptune::db {

namespace {

[[noreturn]] void refuse() {
  throw StoreError(StoreError::Cause::cannot_open,
                   "cannot open a store on a server: this program was built without PostgreSQL "
                   "(WARPTUNE_POSTGRESQL=OFF); name a file, or build it with libpq's headers");
}

}  // namespace

std::unique_ptr<Connection> open_postgres(const std::string&, OpenMode, Clock) {
  refuse();
}

StoreHealth examine_postgres(const std::string&) {
  refuse();
}

std::string postgres_version() {
  return "built without libpq";
}

std::string grant(const std::string&, StoreRole, const std::string&) {
  refuse();
}

}  // namespace warptune::db
