// What the store's tests share: stores of their own, a clock they turn, plausible records. The stores are files, and in
// the program `db_cluster_tests` databases of a server (on_server.cpp): the tests are the same.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "db/store.h"
#include "tests/support/temporary_folder.h"

namespace warptune::db {

class StoreTest : public testing::Test {
 protected:
  StoreTest();

  // A file that may or may not be there, or the address of a database.
  std::filesystem::path file(const std::string& name = "store.db") const;
  // With the clock of the test.
  Store open(const std::string& name = "store.db", OpenMode mode = OpenMode::read_write);
  // The kind of StoreError that `action` throws; its message is then in `message_`.
  StoreError::Cause cause_of_failure(const std::function<void()>& action);
  // The first column of the first row as text; empty if there is none.
  std::string value_of(const std::string& sql, const std::string& name = "store.db") const;
  void advance(std::chrono::seconds by) { now_ += by; }

  TemporaryFolder temporary_;
  std::filesystem::path folder_ = temporary_.path();
  std::string message_;
  const int number_;                                                                // of the test in this program
  std::chrono::system_clock::time_point now_{std::chrono::seconds(1'773'500'966)};  // 2026-03-14T15:09:26Z
};

// Of a test's database by its name. Nothing in programs whose stores are files.
extern std::function<std::string(const std::string& database)> address_on_server;

SessionRecord gemm_session(std::int64_t m = 1024);
search::NamedValues configuration(std::int64_t block);
search::Trial correct_trial(double median_ms);
search::Trial failed_trial(search::Outcome outcome, const std::string& message);

// Runs `work` in a child process; its exit status, or 128 + the signal that ended it. An exception is status 99.
int run_in_child(const std::function<void()>& work);
// Root may write everything, so tests of permissions become `nobody` in a child.
int run_unprivileged(const std::function<void()>& work);

}  // namespace warptune::db
