// What the fault suite's parts share: the program in a folder of its own, its trials, and its processes.
#pragma once

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <thread>

#include "db/store.h"
#include "tests/support/places.h"
#include "tests/support/program.h"

namespace warptune::tuner {

class FaultSuite : public testing::Test {
 protected:
  ~FaultSuite() override { EXPECT_TRUE(all_gone()) << "processes were left behind"; }

  std::string database() const { return (folder_.path() / "s.db").string(); }
  std::string environment() const {
    return "WARPTUNE_DB=" + database() + " XDG_CACHE_HOME=" + folder_.path().string() + " " + more_environment_;
  }
  std::string tune_command(const std::string& options) const {
    return environment() + " exec " + warptune_program() + " tune " + folder_.path().string() +
           " --precision 1 --strategy " + strategy_ + " " + options;
  }
  ProgramRun tune(const std::string& options, const std::string& before = "") {
    return run_program(folder_, "( " + before + tune_command(options) + " )");
  }
  ProgramRun run(const std::string& arguments) {
    return run_program(folder_, environment() + " " + warptune_program() + " " + arguments);
  }

  // Of the only session; none before it exists.
  std::vector<db::StoredTrial> trials() const {
    if (!std::filesystem::exists(database())) return {};
    try {
      return db::Store::open(database(), db::OpenMode::read_only).trials(1);
    } catch (const db::StoreError&) {
      return {};  // killed before its tables were there
    }
  }
  std::map<std::string, db::StoredTrial> by_configuration() const {
    std::map<std::string, db::StoredTrial> all;
    for (auto& stored : trials()) all[search::to_text(stored.values)] = stored;
    return all;
  }

  // Every process of this test's program, known by the store in its environment.
  std::vector<pid_t> processes() const {
    std::vector<pid_t> found;
    DIR* proc = opendir("/proc");
    while (const dirent* entry = readdir(proc)) {
      const pid_t pid = std::atoi(entry->d_name);
      if (pid <= 0 || pid == getpid()) continue;
      std::ifstream stream("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      if (text.find("WARPTUNE_DB=" + database()) != std::string::npos) found.push_back(pid);
    }
    closedir(proc);
    return found;
  }
  bool all_gone() const {
    for (int i = 0; i < 500; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(20)))
      if (processes().empty()) return true;
    return false;
  }

  TemporaryFolder folder_;
  std::string more_environment_;
  std::string strategy_ = "exhaustive";
};

}  // namespace warptune::tuner
