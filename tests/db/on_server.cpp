// Makes the stores of all tests in this program databases of one PostgreSQL server.
#include "tests/db/on_server.h"

#include <gtest/gtest.h>

#include "tests/db/store_fixture.h"

namespace warptune::db {

namespace {

std::unique_ptr<PostgresServer> server;

class OnServer : public testing::Environment {
 public:
  void SetUp() override {
    if (const std::string why = PostgresServer::lacking(); !why.empty())
      GTEST_SKIP() << "NOT TESTED: stores on a server: " << why;
    server = std::make_unique<PostgresServer>();
    address_on_server = [](const std::string& database) { return server->address(database); };
  }
  void TearDown() override { server.reset(); }
};

[[maybe_unused]] const auto* const on_server = testing::AddGlobalTestEnvironment(new OnServer);

}  // namespace

PostgresServer& test_server() {
  return *server;
}

}  // namespace warptune::db
