// The server of this test program.
#pragma once

#include "tests/support/postgres_server.h"

namespace warptune::db {

PostgresServer& test_server();

}  // namespace warptune::db
