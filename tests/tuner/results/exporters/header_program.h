// A program that includes an exported header, for the tests of what compilers make of one.
#pragma once

#include <cstdlib>
#include <string>

#include "tests/support/program.h"

namespace warptune::tuner {

inline bool is_here(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

// Builds a program that includes the header twice and runs it; the compiler's words if it fails.
inline std::string failure_of_header(const std::string& command, const std::string& header,
                                     const std::string& program) {
  const TemporaryFolder folder;
  folder.write("tuned.h", header);
  folder.write("main.cu", "#include \"tuned.h\"\n#include \"tuned.h\"\n" + program);
  const ProgramRun run = run_program(folder, "cd " + folder.path().string() + " && " + command);
  return run.exit_code == 0 ? "" : run.out + run.err;
}

inline constexpr char build_and_run[] = " -Wall -Wextra -Werror -pedantic -x c++ -o program main.cu && ./program";

}  // namespace warptune::tuner
