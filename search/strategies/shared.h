// Searches at several problem sizes that ask one model of all of them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "search/strategies/strategy.h"

namespace warptune::search {

// The model (models/size_model.h) and the spaces of its sizes, which may differ in what their constraints allow. For
// one thread.
class SharedModel {
 public:
  // `common` has the parameters of all sizes' spaces, and must outlive the model. `sizes`: see SizeModel.
  SharedModel(const SearchSpace& common, const std::vector<std::vector<double>>& sizes);
  ~SharedModel();

  // A trial at one of the sizes, of a configuration of that size's `space`.
  void tell(std::size_t size, const SearchSpace& space, const Trial& trial);

  // What it expects to gain at a size with what was tried elsewhere, relative to the size's best; 0 where nothing was
  // measured.
  double gain(std::size_t size, const SearchSpace& space);

  struct Options {
    std::size_t checks = 2;  // proposals in any case
    double worth = 0.005;    // a further one for an expected improvement of so much, relative to the best
    std::size_t most = 16;   // of one search: what the model has not learnt by then it does not learn here
  };
  // A search at one of the sizes that proposes what was tried at others: the expected best, a few to check the
  // expectation, and more for as long as the model expects them to improve on the size's best. Not in the registry, for
  // by itself it would have nothing to propose. The model and `space` must outlive it.
  std::unique_ptr<Strategy> search(std::size_t size, const SearchSpace& space, Options options);
  std::unique_ptr<Strategy> search(std::size_t size, const SearchSpace& space) { return search(size, space, {}); }

 private:
  class Search;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace warptune::search
