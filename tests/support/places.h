// Says where the program and the source tree are, by where the running test lies in its build folder. No test is
// compiled with a path of this machine, so what was compiled in one tree serves in another (ccache).
#pragma once

#include <filesystem>
#include <string>

namespace warptune {

inline std::filesystem::path build_folder() {
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  while (!exists(folder / "CMakeCache.txt") && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

// The program of the same build.
inline std::string warptune_program() {
  return build_folder() / "warptune";
}

// The top of the source tree: a build folder has a link to its templates.
inline std::string source_folder() {
  return canonical(build_folder() / "templates").parent_path();
}

}  // namespace warptune
