// Defines a search space, which is the set of valid configurations. It is counted exactly, indexed, sampled and walked,
// and never listed unless that is cheap.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/configuration.h"
#include "search/expression/expression.h"
#include "search/parameter.h"
#include "search/random.h"
#include "search/value.h"

namespace warptune::search {

// A Count has 128 bits, so that it is exact: spaces of 10^30 configurations are common.
__extension__ typedef unsigned __int128 Count;
std::string to_text(Count count);  // decimal

// A Constraint is what a configuration must satisfy: an expression over parameters, or a C++ predicate over named ones.
struct Constraint {
  // A Predicate takes the values of `names`, in that order.
  using Predicate = std::function<bool(const std::vector<Value>&)>;

  std::string text;                // the expression, or for a predicate its label in reports
  std::vector<std::string> names;  // only with a predicate: the parameters it reads
  Predicate predicate;             // empty: `text` is an expression
  std::string shown = {};          // what reports say instead of `text`; empty: `text`

  const std::string& in_reports() const { return shown.empty() ? text : shown; }
};

enum class Neighbourhood {
  hamming,   // exactly one parameter differs, to any valid value
  adjacent,  // exactly one parameter differs, to the next valid value up or down its domain
};

// A KillCount says how many configurations of the Cartesian product a constraint rejects.
struct KillCount {
  std::string constraint;
  std::optional<Count> alone;  // by itself, whatever the others say; absent when too large to count exactly
};

// SpaceLimits are caps that keep construction safe on hostile spaces (search/README.md says what happens beyond them).
struct SpaceLimits {
  // This caps the nodes, edges and search states of a component's decision diagram, which take about 32 bytes each.
  std::size_t max_nodes = 4'000'000;
};

// A SearchSpace is immutable after construction and safe to read from many threads.
class SearchSpace {
 public:
  // Constraints may use the parameters and `constants` (problem sizes, device limits). Throws std::invalid_argument for
  // an empty or duplicate domain, a duplicate parameter or an unknown name, ExpressionError for a malformed constraint,
  // std::overflow_error if parameters that constraints tie together have more than 2^128 configurations. A constraint
  // without a value for a configuration (division by zero, overflow) is not satisfied by it; what a predicate throws
  // passes through. A space without a valid configuration is not an error: see `empty`, `contradiction`.
  static SearchSpace build(std::vector<Parameter> parameters, std::vector<Constraint> constraints,
                           const NamedValues& constants = {}, const SpaceLimits& limits = {});
  // Makes a space of its valid configurations, which are kept in this order; repeated rows count once. Its constraints
  // are unknown: `constraints` and `kill_counts` are empty. Throws std::invalid_argument for a row that does not fit
  // the parameters.
  static SearchSpace from_rows(std::vector<Parameter> parameters, std::vector<Configuration> rows);
  SearchSpace(SearchSpace&&) noexcept;
  SearchSpace& operator=(SearchSpace&&) noexcept;
  ~SearchSpace();

  const std::vector<Parameter>& parameters() const;
  const std::vector<Constraint>& constraints() const;

  // Returns the number of combinations of the declared domains. The largest Count stands for anything larger;
  // `cartesian_text` is exact for any size.
  Count cartesian_size() const;
  std::string cartesian_text() const;
  // Returns the number of valid configurations. It is exact unless `exact()` is false; then it is an upper bound
  // (search/README.md).
  Count size() const;
  bool exact() const;
  bool empty() const { return size() == 0; }

  // Configurations have a fixed order 0 … size()-1. `at` needs an exact space and index < size(), else it throws
  // std::out_of_range.
  Configuration at(Count index) const;
  // Returns nothing for an invalid configuration, and in a space that is not exact.
  std::optional<Count> index_of(const Configuration& configuration) const;
  bool contains(const Configuration& configuration) const;

  // Draws uniformly from the valid configurations. Throws std::logic_error on an empty space, and std::runtime_error if
  // the space is not exact and valid configurations are so rare that 10^7 draws found none.
  Configuration sample(Rng& rng) const;
  // Returns min(n, size()) distinct configurations, uniform without replacement, or fewer if the space is not exact and
  // nearly used up.
  std::vector<Configuration> sample_distinct(std::size_t n, Rng& rng) const;
  // Returns up to n distinct configurations that cover every parameter's values evenly (Latin-hypercube-like; McKay et
  // al. 1979).
  std::vector<Configuration> spread(std::size_t n, Rng& rng) const;

  // Returns the valid neighbours of a configuration (which itself may be invalid), in parameter order, then domain
  // order.
  std::vector<Configuration> neighbours(const Configuration& configuration, Neighbourhood kind) const;

  // Returns for each parameter the domain indices that occur in at least one valid configuration, ascending. In a space
  // that is not exact there may be some that occur in none.
  const std::vector<std::vector<std::uint32_t>>& domains() const;
  std::vector<KillCount> kill_counts() const;
  // Returns for an empty space a smallest found set of constraints that contradict each other (one or two, else all),
  // as reports show them.
  std::vector<std::string> contradiction() const;

  // Returns how many bytes the index takes in memory, beside the parameters and the constraints' texts.
  std::size_t index_bytes() const;

  // These functions convert between indices and values. `find` wants every parameter once, and returns nothing when a
  // value is not in its domain; the result need not be valid.
  NamedValues values(const Configuration& configuration) const;
  std::optional<Configuration> find(const NamedValues& values) const;
  // Returns a stable text such as "BLOCK=256,VECTOR=4", in the space's parameter order.
  std::string key(const Configuration& configuration) const;

 private:
  struct Impl;
  explicit SearchSpace(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptune::search
