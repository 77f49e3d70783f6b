// Makes a model search with a Gaussian process.
#include "search/models/gaussian_surrogate.h"
#include "search/strategies/entries.h"
#include "search/strategies/model_based/model_search.h"

namespace warptune::search {

namespace {

std::unique_ptr<Surrogate> make_process(const Encoding& encoding, const StrategyContext&) {
  return std::make_unique<GaussianSurrogate>(encoding.categorical());
}

}  // namespace

StrategyEntry gaussian_process_strategy() {
  return {"gaussian_process", "Bayesian optimisation with a Gaussian process", model_hyperparameters(),
          make_model_search<make_process>, true};
}

}  // namespace warptune::search
