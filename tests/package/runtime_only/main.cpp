// Links all of the runtime, and says what a file that is not there is to it.
#include <warptune/runtime_host.h>

#include <cstdio>
#include <exception>

int main() {
  try {
    warptune::runtime::host_runtime().load("nowhere", "nothing.json");
  } catch (const std::exception& error) {
    return std::printf("%s\n", error.what()) > 0 ? 0 : 1;
  }
  return 1;
}
