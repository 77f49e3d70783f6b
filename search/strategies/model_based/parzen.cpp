// Makes a model search with Parzen estimators.
#include "search/models/parzen.h"

#include "search/strategies/entries.h"
#include "search/strategies/model_based/model_search.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

std::unique_ptr<Surrogate> parzen(const Encoding& encoding, const StrategyContext& context) {
  return std::make_unique<Parzen>(encoding.categorical(), real_option(context, "good"));
}

}  // namespace

StrategyEntry parzen_strategy() {
  auto hyperparameters = model_hyperparameters();
  hyperparameters.push_back({"good", 0.2, "share of the trials that count as good"});
  return {"parzen", "search where the values of good trials are more common than those of others",
          std::move(hyperparameters), make_model_search<parzen>, true};
}

}  // namespace warptune::search
