// scale_bench VERB NAME=VALUE…: what many workers on one store cost and reach. run.py drives it and says what for.
#include <fmt/format.h>

#include <exception>

#include "bench/scale/verbs.h"

int main(int argc, char** argv) {
  using namespace warptune::tuner::bench;
  const std::map<std::string, void (*)(const Options&)> verbs{
      {"prepare", prepare}, {"submit", submit}, {"work", work}, {"messages", messages}, {"search", search_alone}};
  const auto verb = argc > 1 ? verbs.find(argv[1]) : verbs.end();
  if (verb == verbs.end())
    return fmt::print(stderr, "usage: scale_bench prepare|submit|work|messages|search NAME=VALUE...\n"), 2;
  try {
    verb->second(Options({argv + 2, argv + argc}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "scale_bench: {}\n", error.what());
    return 1;
  }
}
