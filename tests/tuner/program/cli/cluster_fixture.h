// A store on a server of the tests' own, and the program's processes at it: submitters, workers, users.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "db/queue.h"
#include "tests/support/places.h"
#include "tests/support/postgres_server.h"
#include "tests/tuner/program/cli/tuned_store.h"

namespace warptune::tuner {

inline std::unique_ptr<PostgresServer> server;

class Server : public testing::Environment {
 public:
  void SetUp() override {
    if (const std::string why = PostgresServer::lacking(); !why.empty())
      GTEST_SKIP() << "NOT TESTED: several processes at a store on a server: " << why;
    server = std::make_unique<PostgresServer>();
  }
  void TearDown() override { server.reset(); }
};
[[maybe_unused]] inline const auto* const environment = testing::AddGlobalTestEnvironment(new Server);

class CliCluster : public TunedStore {
 protected:
  CliCluster() {
    static int tests = 0;
    database_ = "test" + std::to_string(++tests);
    address_ = server->address(database_);
    folder_.write("sizes.txt", "n=1000\nn=2000  # twice\n");
  }

  ProgramRun on_server(const std::string& arguments, const std::string& before = "") {
    return run_program(folder_, before + environment_text() + warptune_program() + " " + arguments);
  }
  ProgramRun submit(const std::string& more) {
    return on_server("submit " + folder_.path().string() + " --strategy random --finals 0 --format csv " + more);
  }
  // As a tuner of the server, who is made with the first call.
  ProgramRun as_user(const std::string& user, const std::string& arguments) {
    if (users_.insert(user).second) {
      server->execute("postgres", "CREATE ROLE " + user + "_" + database_ + " LOGIN");
      on_server("grant tuner " + user + "_" + database_);
    }
    return run_program(folder_, "WARPTUNE_DB='" + server->address(database_, user + "_" + database_) +
                                    "' XDG_CACHE_HOME=" + path("cache") + " " + warptune_program() + " " + arguments);
  }
  std::string environment_text() {
    return "WARPTUNE_DB='" + address_ + "' XDG_CACHE_HOME=" + path("cache") + " " + compiler_;
  }

  // A worker that goes on until it is ended; it belongs to this process.
  pid_t start_worker(const std::string& log) {
    const std::string command =
        "exec env " + environment_text() + warptune_program() + " work --device host >/dev/null 2>" + path(log);
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    return child;
  }
  static int end(pid_t child, int signal) {
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // Compiles the reference and three configurations, and the others once let_it_go() was called, or after a minute: a
  // worker that uses it is in the middle of its session for as long as a test needs.
  void make_the_compiler_wait() {
    const auto compiler = folder_.write("cxx", R"sh(#!/bin/sh
for source; do :; done
case "$*" in *" -c "*)
  case "$(cat "$source")" in *doubling/kernel.cu*)
    if ! mkdir "$0.1" 2>/dev/null && ! mkdir "$0.2" 2>/dev/null && ! mkdir "$0.3" 2>/dev/null; then
      tries=0
      while [ ! -e "$0.go" ] && [ $tries -lt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
    fi
  esac
esac
exec c++ "$@"
)sh");
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    compiler_ = "CXX=" + compiler.string() + " ";
  }
  void let_it_go() { folder_.write("cxx.go", ""); }
  db::Store shared() const { return db::Store::open(address_, db::OpenMode::read_write); }
  db::WorkQueue queue() const { return db::WorkQueue::open(address_, db::OpenMode::read_only); }
  // Until it holds, or long enough to be sure that it never will.
  static bool comes_true(const std::function<bool()>& condition) {
    for (int tries = 0; tries < 1200; ++tries, usleep(50'000))
      if (condition()) return true;
    return false;
  }

  std::string database_, address_, compiler_;
  std::set<std::string> users_;
};

}  // namespace warptune::tuner
