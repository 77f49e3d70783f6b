// Reports a selection of kernels for many sizes: as tables, in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include "tuner/results/report/text/table.h"
#include "tuner/results/select/prediction.h"
#include "tuner/results/select/selection.h"

namespace warptune::tuner {

// A predicted size is one that nobody measured.
struct PredictedSize {
  search::NamedValues size;
  std::size_t from = 0;  // the measured size whose kernel it gets
};

// Holds a choice of K kernels for the sizes of one kernel template on one device.
struct SelectedKernels {
  std::string kernel;
  std::string device;
  MeasuredSizes measured;
  std::vector<std::size_t> numbers;                         // of the selection's configurations in `measured`
  std::vector<std::pair<std::size_t, Selection>> by_count;  // for K = 1, 2, 4 …; the last is the one asked for
  std::vector<PredictedSize> predicted;
  std::optional<SizeRule> rule;  // by which they were predicted, if enough is known to say what that costs
};

// Returns each measured size with the kernel that serves it in the selection asked for.
ServedSizes served_by(const SelectedKernels& selected);

// Returns regret and number of kernels for each K.
Table regret_table(const SelectedKernels& selected);
// Returns one row a size: which of the kernels serves it, its figure beside the best known and the default's.
Table serving_table(const SelectedKernels& selected);
// Returns one row a size that was predicted: which of the kernels, after which size.
Table predicted_table(const SelectedKernels& selected);
// Says in words what a prediction is worth.
std::string prediction_text(const SelectedKernels& selected);
// Returns all of it as one JSON document (document.h).
std::string selection_json(const SelectedKernels& selected);

}  // namespace warptune::tuner
