#pragma once

#include <string>
#include <vector>

#include "search/value.h"

namespace warptune::search {

// A tunable parameter and its domain: the values it may take, in the order that makes neighbours alike.
struct Parameter {
  std::string name;
  std::vector<Value> values;
};

}  // namespace warptune::search
