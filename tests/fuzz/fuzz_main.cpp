// The fuzzer, for one format at a time:
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   cd build/fuzz/tests/fuzz && mkdir -p corpus/npy
//   ./warptune_fuzz --format=npy -runs=1000000 -max_len=4096 corpus/npy ../../../../tests/fuzz/seeds/npy
//
// libFuzzer ignores options that begin with two dashes. What it finds (a file crash-…) goes to seeds/, with a name that
// says what it is.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.h"

namespace {

const warptune::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--format=";
  const auto& all = warptune::fuzz::targets();
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (!argument.starts_with(option)) continue;
    const auto found = std::ranges::find(all, argument.substr(option.size()), &warptune::fuzz::Target::name);
    if (found != all.end()) chosen = &*found;
  }
  if (chosen) return 0;
  std::fputs("expected --format= and one of", stderr);
  for (const auto& target : all) std::fprintf(stderr, " %s", std::string(target.name).c_str());
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
