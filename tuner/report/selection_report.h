#pragma once

#include <string>
#include <vector>

#include "tuner/report/table.h"
#include "tuner/select/measured_sizes.h"

namespace warptune::tuner {

// A choice of K kernels for the sizes of one kernel template on one device.
struct SelectedKernels {
  std::string kernel;
  std::string device;
  MeasuredSizes measured;
  std::vector<std::size_t> numbers;                         // of the selection's configurations in `measured`
  std::vector<std::pair<std::size_t, Selection>> by_count;  // for K = 1, 2, 4 …; the last is the one asked for
};

// Regret and number of kernels for each K.
Table regret_table(const SelectedKernels& selected);
// One row a size: which of the kernels serves it, its figure beside the best known and the default's.
Table serving_table(const SelectedKernels& selected);
// Both as one JSON document (document.h).
std::string selection_json(const SelectedKernels& selected);

}  // namespace warptune::tuner
