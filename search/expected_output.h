// What a reference expects of an output, as far as it decides whether a comparison with it tells right from wrong.
#pragma once

#include <cstdint>
#include <string>

namespace warptune::search {

// Of several sets of inputs: what holds for all of them.
struct ExpectedOutput {
  std::string name;
  std::int64_t elements = 0;           // that are compared; 0: none, as the manifest's `counts` say
  double least = 0, most = 0;          // of the finite ones; `least` is greater than `most` where there are none
  std::int64_t nan = 0, infinite = 0;  // how many are, in the set that has most
  double commonest = 0;                // a value that many have, if any is had by many
  std::int64_t same = 0;               // how many elements have it
  bool one_value = false;              // all of several elements are equal
  bool begins_so = false;              // it may end as it begins: whoever leaves it alone is right
  std::int64_t told = 0;               // of how many a zero would be wrong
  double room = 0;                     // the largest error that is allowed

  // The largest magnitude of a finite element; 0 if there are none.
  double largest() const { return least > most ? 0 : -least > most ? -least : most; }
  // A zero is right everywhere, within the tolerance, although other numbers are expected.
  bool is_covered() const { return told == 0 && largest() > 0; }
  // A kernel that leaves it alone, or writes zeros, is right by it for certain.
  bool is_silent() const { return elements == 0 || begins_so || is_covered(); }
  // A kernel that computes nothing may be found wrong by it.
  bool tells() const { return told > 0 && !one_value && !is_silent(); }
};

}  // namespace warptune::search
