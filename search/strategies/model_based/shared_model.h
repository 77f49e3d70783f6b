// Chooses what to compile and what to measure next at any of several problem sizes, by one model of all of them.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "search/strategies/strategy.h"

namespace warptune::search {

// A SharedModel holds the model (models/size_model.h), the spaces of its sizes, which may differ in what their
// constraints allow, and what is compiled. Machine code that is compiled for one size may serve the others, so that two
// questions are asked: what is worth compiling, for some size's sake, and which of all that is compiled is worth
// measuring at a size. Only one thread may use it.
class SharedModel {
 public:
  // `common` has the parameters of all sizes' spaces, and must outlive the model. `sizes` are those of SizeModel.
  SharedModel(const SearchSpace& common, const std::vector<std::vector<double>>& sizes, std::uint64_t seed,
              std::function<double(const Configuration&)> threads_per_block = {});
  ~SharedModel();

  // Adds the space of a size, which must outlive the model, and what is guessed of it (StrategyContext::first_guess).
  // This comes before anything else is said of a size.
  void add(std::size_t size, const SearchSpace& space, std::function<double(const Configuration&)> first_guess = {});

  // Learns a trial of a configuration of the size's space.
  void tell(std::size_t size, const Trial& trial);
  // Tells that a configuration of the size's space is compiled, and may be asked for at any size.
  void compiled(std::size_t size, const Configuration& configuration);

  // Returns up to n configurations of the size's space, with the best expected improvement there. It never returns the
  // same twice.
  std::vector<Configuration> to_compile(std::size_t size, std::size_t n);
  // Returns the size whose turn it is to have something compiled: where much was expected of that the last time, or
  // long ago. Only sizes that were added have turns; there must be one.
  std::size_t turn();
  // Returns up to `most` configurations that are compiled, or were tried at another size, and not here: those of which
  // an improvement by `worth` is expected, relative to the size's best, and `least` in any case.
  std::vector<Configuration> to_measure(std::size_t size, std::size_t most, std::size_t least, double worth);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// A GivenStrategy proposes what it is given, and tells a listener of the results.
class GivenStrategy : public Strategy {
 public:
  using Listener = std::function<void(const Trial&)>;
  explicit GivenStrategy(Listener listener) : listener_(std::move(listener)) {}

  void give(std::vector<Configuration> configurations) {
    for (Configuration& one : configurations) line_.push_back(std::move(one));
  }
  // Forgets what was given and was not asked for yet.
  void clear() { line_.clear(); }
  bool empty() const { return line_.empty(); }

  std::vector<Configuration> ask(std::size_t n) override;
  void tell(const Trial& trial) override { listener_(trial); }

 private:
  Listener listener_;
  std::deque<Configuration> line_;
};

// Returns the indices of the problem sizes in an order in which those before any place cover them all. Each size is a
// list of positive numbers. The most central comes first, then always the one farthest from those before, by logarithms
// (maximin; Johnson, Moore and Ylvisaker 1990).
std::vector<std::size_t> covering_order(const std::vector<std::vector<double>>& sizes);

}  // namespace warptune::search
