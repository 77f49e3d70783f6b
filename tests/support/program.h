#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace warptune {

// What a run of a program printed and how it ended.
struct ProgramRun {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// Runs a shell command line. The folder takes its output files.
inline ProgramRun run_program(const TemporaryFolder& folder, const std::string& command) {
  const auto out = folder.path() / "stdout", err = folder.path() / "stderr";
  const int status =
      std::system(("{ " + command + " ; } >" + out.string() + " 2>" + err.string() + " </dev/null").c_str());
  const auto text = [](const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::stringstream content;
    content << stream.rdbuf();
    return content.str();
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text(out), text(err)};
}

}  // namespace warptune
