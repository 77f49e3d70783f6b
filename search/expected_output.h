// Describes what a reference expects of an output, as far as it decides whether a comparison with it tells right from
// wrong.
#pragma once

#include <cstdint>
#include <string>

namespace warptune::search {

// An ExpectedOutput describes one output. Where there are several sets of inputs, it says what holds for all of them.
struct ExpectedOutput {
  std::string name;
  std::int64_t elements = 0;           // elements that are compared; 0: none, as the manifest's `counts` say
  double least = 0, most = 0;          // of the finite elements; `least` is greater than `most` where there are none
  std::int64_t nan = 0, infinite = 0;  // numbers of such elements, in the set of inputs that has most
  double commonest = 0;                // a value that many elements have, if there is one
  std::int64_t same = 0;               // how many elements have the commonest value
  bool one_value = false;              // all of several elements are equal
  bool begins_so = false;              // the output may end as it begins: a kernel that does not write it is right
  std::int64_t told = 0;               // elements for which a zero would be wrong
  double room = 0;                     // the largest error that is allowed

  // Returns the largest magnitude of a finite element, or 0 if there are none.
  double largest() const { return least > most ? 0 : -least > most ? -least : most; }
  // Returns whether a zero is right everywhere, within the tolerance, although other numbers are expected.
  bool is_covered() const { return told == 0 && largest() > 0; }
  // Returns whether the comparison certainly accepts a kernel that leaves the output alone or writes zeros.
  bool is_silent() const { return elements == 0 || begins_so || is_covered(); }
  // Returns whether the comparison can find a kernel wrong that computes nothing.
  bool tells() const { return told > 0 && !one_value && !is_silent(); }
};

}  // namespace warptune::search
