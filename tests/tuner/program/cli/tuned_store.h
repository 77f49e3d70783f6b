// A small template whose configurations are all right, tuned on the host into a store of its own, and the program.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "db/store.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/small_template.h"

namespace warptune::tuner {

class TunedStore : public testing::Test {
 protected:
  TunedStore() {
    std::string manifest = doubling_manifest;
    const std::string modes = R"toml(["good", "wrong", "unwritten", "outside", "broken", "greedy"])toml";
    manifest.replace(manifest.find(modes), modes.size(), R"toml(["good"])toml");
    write_doubling_template(folder_, manifest);
  }

  // `environment` is NAME=VALUE pairs before the program.
  ProgramRun run(const std::string& arguments, const std::string& environment = "") {
    return run_program(folder_, "WARPTUNE_DB=" + path("s.db") + " XDG_CACHE_HOME=" + path("cache") + " " + environment +
                                    " " + warptune_program() + " " + arguments);
  }
  ProgramRun tune(const std::string& more) {
    return run("tune " + folder_.path().string() + " --device host --strategy random " + more);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  db::Store store(const std::string& name = "s.db") const {
    return db::Store::open(folder_.path() / name, db::OpenMode::read_write);
  }

  // Another source is another key; `line` is added to the kernel.
  void change_kernel(const std::string& line) { folder_.write("kernel.cu", doubling_kernel + line + "\n"); }

  TemporaryFolder folder_;
};

}  // namespace warptune::tuner
