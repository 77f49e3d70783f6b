// A store's file is examined as it is.
#include "db/health.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "db/engine/connection.h"
#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using testing::StartsWith;

class StoreHealthTest : public StoreTest {
 protected:
  int schema() {
    return SQLite::Database(file().string(), SQLite::OPEN_READONLY).execAndGet("PRAGMA user_version").getInt();
  }
};

TEST_F(StoreHealthTest, CountsSessionsAndTellsTheSchema) {
  open().create_session(gemm_session());
  const StoreHealth health = examine_store(file());
  EXPECT_EQ(health.sessions, 1);
  EXPECT_EQ(health.schema, schema());
  EXPECT_EQ(health.newest_schema, health.schema);
  EXPECT_GT(health.bytes, 0);
  EXPECT_TRUE(health.checked);
}

// Opening one to write migrates it; looking must not.
TEST_F(StoreHealthTest, AnEmptyFileStaysEmpty) {
  { SQLite::Database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("PRAGMA page_size = 4096"); }
  EXPECT_EQ(examine_store(file()).schema, 0);
  EXPECT_EQ(schema(), 0);
}

TEST_F(StoreHealthTest, DamageInTheMiddleOfTheFileIsFound) {
  {
    Store store = open();
    const SessionId session = store.create_session(gemm_session());
    for (int i = 1; i <= 300; ++i) store.record(session, configuration(i), correct_trial(i));
  }
  const auto bytes = std::filesystem::file_size(file());
  std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(bytes / 2 / 4096 * 4096));
  stream << std::string(4096, '\x7f');
  stream.close();
  EXPECT_EQ(cause_of_failure([&] { examine_store(file()); }), StoreError::Cause::corrupt);
}

TEST_F(StoreHealthTest, TheEngineHasAVersion) {
  EXPECT_THAT(engine_version(), StartsWith("SQLite 3."));
}

}  // namespace
}  // namespace warptune::db
