// Defines a tunable parameter.
#pragma once

#include <string>
#include <vector>

#include "search/value.h"

namespace warptune::search {

// A Parameter is a tunable parameter with its domain. The domain lists the values that it may take, in an order in
// which neighbouring values are alike.
struct Parameter {
  std::string name;
  std::vector<Value> values;
};

}  // namespace warptune::search
