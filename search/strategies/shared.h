// What to compile and what to measure next at any of several problem sizes, by one model of all of them.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "search/strategies/strategy.h"

namespace warptune::search {

// The model (models/size_model.h), the spaces of its sizes, which may differ in what their constraints allow, and what
// is compiled. Machine code that is compiled for one size may serve the others, so that two questions are asked: what
// is worth compiling, for some size's sake, and which of all that is compiled is worth measuring at a size. For one
// thread.
class SharedModel {
 public:
  // `common` has the parameters of all sizes' spaces, and must outlive the model. `sizes`: see SizeModel.
  SharedModel(const SearchSpace& common, const std::vector<std::vector<double>>& sizes, std::uint64_t seed,
              std::function<double(const Configuration&)> threads_per_block = {});
  ~SharedModel();

  // Before anything else is said of a size: its space, which must outlive the model, and what is guessed of it
  // (StrategyContext::first_guess).
  void add(std::size_t size, const SearchSpace& space, std::function<double(const Configuration&)> first_guess = {});

  // A trial of a configuration of the size's space.
  void tell(std::size_t size, const Trial& trial);
  // A configuration of the size's space is compiled, and may be asked for at any size.
  void compiled(std::size_t size, const Configuration& configuration);

  // Of the size's space, with the best expected improvement there; never twice the same.
  std::vector<Configuration> to_compile(std::size_t size, std::size_t n);
  // The size at whose turn it is to have something compiled: where much was expected of that the last time, or long
  // ago. Of those that were added; there must be one.
  std::size_t turn();
  // What is compiled, or was tried at another size, and not here: those of which an improvement by `worth` is expected,
  // relative to the size's best, and `least` in any case.
  std::vector<Configuration> to_measure(std::size_t size, std::size_t most, std::size_t least, double worth);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Proposes what it is given, and tells others of the results.
class Given : public Strategy {
 public:
  using Listener = std::function<void(const Trial&)>;
  explicit Given(Listener listener) : listener_(std::move(listener)) {}

  void give(std::vector<Configuration> configurations) {
    for (Configuration& one : configurations) line_.push_back(std::move(one));
  }
  // What was given and is not asked for any more.
  void clear() { line_.clear(); }
  bool empty() const { return line_.empty(); }

  std::vector<Configuration> ask(std::size_t n) override;
  void tell(const Trial& trial) override { listener_(trial); }

 private:
  Listener listener_;
  std::deque<Configuration> line_;
};

}  // namespace warptune::search
