// Descends to a local optimum, over and over. Hill climbing, iterated local search and basin hopping share this, and
// differ in where they begin again.
#pragma once

#include "search/strategies/stepwise.h"

namespace warptune::search {

class Climber : public Stepwise {
 protected:
  // Begins with `samples` configurations that are spread over the space. With `steepest`, looks at all neighbours
  // before it moves to the best, else moves to the first better one.
  Climber(const StrategyContext& context, std::size_t samples, bool steepest);

  // Returns where to begin again after a local optimum, or nothing to begin at a uniform sample. It is asked repeatedly
  // while that is in flight.
  virtual std::optional<Configuration> leave() = 0;
  // Tells that the descent has ended at this optimum.
  virtual void arrived(const Configuration& /*optimum*/, double /*value*/) {}

 private:
  std::optional<Proposal> propose() final;
  void learn(const Configuration& configuration, double value, Owner owner) final;
  void move_to(const Configuration& centre, double value);
  bool take_better();

  bool steepest_;
  // Descents are numbered, so that a result that an abandoned descent asked for does not drag the search back to it.
  Owner descent_ = 0;
  std::optional<Configuration> centre_;
  double centre_value_ = failed_value;
  std::vector<Configuration> neighbours_;  // of the centre, in the order to try, last first
  std::optional<Configuration> better_;    // the best neighbour yet, if better than the centre; only when steepest
  double better_value_ = failed_value;
};

}  // namespace warptune::search
