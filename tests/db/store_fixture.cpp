#include "tests/db/store_fixture.h"

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "db/schema/open.h"

namespace warptune::db {

std::function<std::string(const std::string& database)> address_on_server;

static int tests_so_far = 0;

StoreTest::StoreTest() : number_(++tests_so_far) {
  // Open to the user that some tests become.
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
}

std::filesystem::path StoreTest::file(const std::string& name) const {
  if (!address_on_server) return folder_ / name;
  std::string database = "t" + std::to_string(number_) + "_" + name;
  for (char& c : database)
    if (c == '.' || c == '/') c = '_';
  return address_on_server(database);
}

std::string StoreTest::value_of(const std::string& sql, const std::string& name) const {
  const auto connection =
      open_connection(file(name), OpenMode::read_only, [] { return std::chrono::system_clock::time_point{}; });
  return connection->attempt("ask it", [&] {
    Query query = connection->query(sql);
    return query.step() ? query.text() : std::string();
  });
}

Store StoreTest::open(const std::string& name, OpenMode mode) {
  return Store::open(file(name), mode, [this] { return now_; });
}

StoreError::Cause StoreTest::cause_of_failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const StoreError& error) {
    message_ = error.what();
    return error.cause();
  }
  throw std::logic_error("expected a StoreError, nothing was thrown");
}

SessionRecord gemm_session(std::int64_t m) {
  SessionRecord session;
  session.key.kernel = "gemm";
  session.key.device = {"cuda", "NVIDIA H200", "sm_90", "580.159", {{"warp_size", std::int64_t{32}}}};
  session.key.compiler = "NVRTC 13.0";
  session.key.source_hash = "5ce1";
  session.key.manifest_hash = "3a9f";
  session.key.options = "--use_fast_math";
  session.key.problem_size = {{"K", std::int64_t{512}}, {"M", m}};
  session.key.policy = "median of 7..100 to 1 %";
  session.strategy = "random";
  session.seed = 0xfedcba9876543210;
  session.objective = "time";
  session.space_size = "340282366920938463463374607431768211456";
  session.state = SessionState::running;
  session.tool_version = "0.1.0";
  return session;
}

search::NamedValues configuration(std::int64_t block) {
  return {{"BLOCK", block}, {"PADDED", true}};
}

search::Trial correct_trial(double median_ms) {
  search::Trial trial;
  trial.measurement = search::Measurement{{median_ms, median_ms * 1.01, median_ms * 0.99}, median_ms, 0.004, false};
  trial.objectives = {median_ms};
  trial.device_uuid = "GPU-12ab";
  trial.metrics = {{"GFLOP/s", 2.0 / median_ms}};
  trial.phases = {210.5, 3.25, 40.0, 0.125};
  trial.resources = search::ResourceUse{96, 0, 16384, 0, 256, 0.5};
  return trial;
}

search::Trial failed_trial(search::Outcome outcome, const std::string& message) {
  search::Trial trial;
  trial.outcome = outcome;
  trial.message = message;
  return trial;
}

int run_in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      work();
    } catch (const std::exception& error) {
      std::cerr << "child: " << error.what() << std::endl;
      _exit(99);
    }
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_unprivileged(const std::function<void()>& work) {
  return run_in_child([&] {
    constexpr unsigned nobody = 65534;
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0))
      throw std::runtime_error("cannot become nobody");
    work();
  });
}

}  // namespace warptune::db
