// Everything that reads what others wrote, as functions of any bytes. The fuzzer (fuzz_main.cpp) calls them with inputs
// that it makes up; seeds_test.cpp with those under seeds/, which once broke something or begin a search.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::fuzz {

struct Target {
  std::string_view name;  // of its folder under seeds/, too
  // Ends normally whatever the input; any other end is a finding. Errors of the documented types are caught.
  void (*run)(std::string_view input);
};

inline void PrintTo(const Target& target, std::ostream* out) {
  *out << target.name;
}

const std::vector<Target>& targets();

}  // namespace warptune::fuzz
