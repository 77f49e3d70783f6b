// What the store's tests share: a folder of their own, a clock they turn, plausible records.
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

  std::filesystem::path file(const std::string& name = "store.db") const { return folder_ / name; }
  // With the clock of the test.
  Store open(const std::string& name = "store.db", OpenMode mode = OpenMode::read_write);
  // The kind of StoreError that `action` throws; its message is then in `message_`.
  StoreError::Cause cause_of_failure(const std::function<void()>& action);
  void advance(std::chrono::seconds by) { now_ += by; }

  TemporaryFolder temporary_;
  std::filesystem::path folder_ = temporary_.path();
  std::string message_;
  std::chrono::system_clock::time_point now_{std::chrono::seconds(1'773'500'966)};  // 2026-03-14T15:09:26Z
};

SessionRecord gemm_session(std::int64_t m = 1024);
search::NamedValues configuration(std::int64_t block);
search::Trial correct_trial(double median_ms);
search::Trial failed_trial(search::Outcome outcome, const std::string& message);

// Runs `work` in a child process; its exit status, or 128 + the signal that ended it. An exception is status 99.
int run_in_child(const std::function<void()>& work);
// Root may write everything, so tests of permissions become `nobody` in a child.
int run_unprivileged(const std::function<void()>& work);

}  // namespace warptune::db
