// What the sessions of one kernel at many problem sizes share: a model of all of them, and so what to try at each.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "search/strategies/shared.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner {

// Each size is a session of its own all the same; this lives as long as the run over all sizes. For one thread.
class SharedSizes {
 public:
  // The sizes of each problem, with the same names in each; problems are told apart by their numbers.
  explicit SharedSizes(const std::vector<search::NamedValues>& problems);

  // Those before any place cover them all.
  const std::vector<std::size_t>& order() const { return order_; }

  // A session of this problem is about to run, or has run: its trials are learnt. The first one's space is the one in
  // which configurations are compared.
  void begin(std::size_t problem, const Tuning& tuning);
  void learn(std::size_t problem, const SessionResult& result);

  // For a request that visits a problem: its session asks the model while it runs. Some session must have begun before.
  using MakeStrategy = decltype(TuneRequest::make_strategy);
  MakeStrategy strategy_for(std::size_t problem);

  // See SharedModel; 0 for a problem without a session.
  double gain(std::size_t problem);

 private:
  std::vector<std::vector<double>> sizes_;
  std::vector<std::size_t> order_;
  std::map<std::size_t, std::shared_ptr<const search::SearchSpace>> spaces_;
  std::shared_ptr<const search::SearchSpace> common_;
  std::unique_ptr<search::SharedModel> model_;
};

}  // namespace warptune::tuner
