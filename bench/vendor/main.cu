// What the vendor's libraries reach on the first GPU, one line "name value unit note" for each case: the bar that
// run.py holds Warptune's winners against.
//   vendor [--list | --samples N] [PATTERN ...]      cases by name, as a shell matches files; default all
// --samples: so many for each median, instead of as many as fill 300 ms
#include <fnmatch.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness.h"

namespace {

vendor::Cases all_cases() {
  vendor::Cases cases;
  vendor::add_roofs(cases);
  vendor::add_dense(cases);
  vendor::add_fused_dense(cases);
  vendor::add_algorithms(cases);
  vendor::add_sorting(cases);
  vendor::add_sparse(cases);
  vendor::add_convolution(cases);
  return cases;
}

void report(const vendor::Case& one) {
  const vendor::Figure figure = one.measure();
  std::printf("%s %.2f %s %s\n", one.name.c_str(), figure.value, figure.unit, figure.note.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const vendor::Cases cases = all_cases();
  const bool list = argc > 1 && std::strcmp(argv[1], "--list") == 0;
  const bool samples = argc > 2 && std::strcmp(argv[1], "--samples") == 0;
  if (samples) vendor::take_samples(std::atoi(argv[2]));
  const std::vector<const char*> patterns(argv + (list ? 2 : samples ? 3 : 1), argv + argc);
  int matched = 0;
  for (const vendor::Case& one : cases) {
    const auto matches = [&](const char* pattern) { return fnmatch(pattern, one.name.c_str(), 0) == 0; };
    if (!patterns.empty() && std::none_of(patterns.begin(), patterns.end(), matches)) continue;
    ++matched;
    if (list)
      std::puts(one.name.c_str());
    else
      report(one);
  }
  if (matched > 0) return 0;
  std::fprintf(stderr, "vendor: no case has such a name; vendor --list shows them\n");
  return 2;
}
