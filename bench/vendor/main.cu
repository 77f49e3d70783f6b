// What the vendor's libraries reach on the first GPU: the bar that run.sh holds Warptune's winners against.
//   vendor [dense] [algorithms] [sparse] [convolution]      (default: all)
#include <cstring>

#include "harness.h"

int main(int argc, char** argv) {
  const auto wanted = [&](const char* name) {
    bool found = argc == 1;
    for (int i = 1; i < argc; ++i) found |= std::strcmp(argv[i], name) == 0;
    return found;
  };
  if (wanted("dense")) vendor::run_dense();
  if (wanted("algorithms")) vendor::run_algorithms();
  if (wanted("sparse")) vendor::run_sparse();
  if (wanted("convolution")) vendor::run_convolution();
}
