// Defines the interface between searching and evaluating: a strategy is asked for configurations and told what became
// of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/models/earlier_trials.h"
#include "search/space/search_space.h"
#include "search/trial.h"
#include "search/value.h"

namespace warptune::search {

// A Strategy is not thread-safe: whoever drives it calls it from one thread at a time. What callers promise is checked
// by what make_strategy returns, which throws std::invalid_argument and changes nothing where a promise is broken.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // Returns up to `n` configurations to try next. They are valid, and none was asked or told before. It may be called
  // while earlier ones are still in flight, and may then return fewer, even none (a generation waiting for its last
  // member). If it returns none with nothing in flight, the strategy is done.
  virtual std::vector<Configuration> ask(std::size_t n) = 0;

  // Tells what became of a configuration. Trials arrive in any order. A trial may be told twice, and may be one that
  // was never asked for (resuming, imported history), also of a configuration that the constraints forbid. The
  // configuration has a choice for each parameter of the space, within its domain. A failed trial has no objectives. A
  // correct one without objectives, or with an objective that is not finite, counts as failed.
  virtual void tell(const Trial& trial) = 0;

  // Returns the most that any configuration is expected to improve on the best now, relative to it (0.01: one
  // hundredth), or nothing if the strategy cannot say.
  virtual std::optional<double> expected_improvement() const { return std::nullopt; }
};

// A StrategyContext is all that a strategy may know when it starts. The space must outlive the strategy.
struct StrategyContext {
  const SearchSpace& space;
  std::uint64_t seed = 0;
  std::optional<Configuration> default_configuration;  // the template's default, if it is in the space
  std::optional<std::size_t> trial_budget;             // trials this session may spend, if limited
  NamedValues options = {};                            // hyperparameters by name; unknown names are refused
  // This returns the threads per block of any configuration of the space. If it is empty, they are unknown, and guessed
  // from parameters' names.
  std::function<double(const Configuration&)> threads_per_block = {};
  // This returns the expected logarithm of the time of any configuration of the space, from what is known before any
  // was run; only differences mean something. If it is empty, nothing is known.
  std::function<double(const Configuration&)> first_guess = {};
  // These are the sessions to learn from, the closest first; strategies without a model begin from nothing all the
  // same.
  std::vector<EarlierTrials> earlier = {};
};

struct Hyperparameter {
  std::string_view name;
  Value default_value;
  std::string_view summary;
};

// A StrategyEntry is one line of the registry.
struct StrategyEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<Hyperparameter> hyperparameters;
  std::unique_ptr<Strategy> (*make)(const StrategyContext& context);
  bool learns_from_earlier = false;  // StrategyContext::earlier
};

// Returns every strategy there is, in the order `warptune strategies` prints (search/strategies/registry.cpp).
const std::vector<StrategyEntry>& strategies();

// Returns whether the strategy learns from earlier sessions; false for an unknown name, too.
bool learns_from_earlier(std::string_view name);

// Makes the strategy of this name. Throws std::invalid_argument that names the known ones (or the strategy's
// hyperparameters) on an unknown name.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const StrategyContext& context);

}  // namespace warptune::search
