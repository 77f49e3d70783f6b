#include "tuner/backends/host/temporary_folder.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

namespace warptune::host {

TemporaryFolder::TemporaryFolder() {
  // The process's number says whose it was, should a kill leave it behind.
  std::string name = P_tmpdir "/warptune-" + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot create a folder " + name + " to compile in");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a leftover in /tmp is no reason to fail
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace warptune::host
