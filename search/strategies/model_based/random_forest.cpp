// Makes a model search with a random forest.
#include "search/models/forest.h"
#include "search/strategies/entries.h"
#include "search/strategies/model_based/model_search.h"

namespace warptune::search {

namespace {

std::unique_ptr<Surrogate> make_forest(const Encoding&, const StrategyContext& context) {
  return std::make_unique<Forest>(context.seed);
}

}  // namespace

StrategyEntry random_forest_strategy() {
  return {"random_forest", "search with a random forest's expected improvement", model_hyperparameters(),
          make_model_search<make_forest>, true};
}

}  // namespace warptune::search
