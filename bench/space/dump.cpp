// Prints every valid configuration of a space as one line of comma-separated values, in the file's parameter order.
//
//   space_dump FILE.json
#include <cstdio>
#include <exception>

#include "bench/space/space_file.h"

namespace {

using warptune::search::Count;
using warptune::search::SearchSpace;

void print(const SearchSpace& space) {
  std::string line;
  for (Count i = 0; i < space.size(); ++i) {
    line.clear();
    for (const auto& [name, value] : space.values(space.at(i))) {
      if (!line.empty()) line += ',';
      line += warptune::search::to_text(value);
    }
    std::puts(line.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: space_dump FILE.json\n", stderr);
    return 2;
  }
  try {
    warptune::tuner::bench::SpaceFile file = warptune::tuner::bench::read_space(argv[1]);
    print(SearchSpace::build(std::move(file.parameters), std::move(file.constraints)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "space_dump: %s\n", error.what());
    return 1;
  }
}
