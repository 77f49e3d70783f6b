// Evaluates the constraints on given configurations. This header is private to search/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/space/bounds.h"
#include "search/space/constraint_problem.h"

namespace warptune::search {

// A Checker holds the constraints over two parameters or more, ready to run on whole configurations and on variations
// of one.
class Checker {
 public:
  // `domains` are what parameters are varied over, each with its choices ascending.
  Checker(const ConstraintProblem& problem, const std::vector<std::vector<std::uint32_t>>& domains);

  // Returns whether all constraints hold. Choices must be within the declared domains.
  bool holds(const std::uint32_t* choices) const;
  std::size_t bytes() const;

  class Variation;

 private:
  // A VaryingStep is a step that depends on the parameter under variation. It is computed for all choices of the
  // parameter at once, with a column for each step, so that the interpreter's overhead is paid once for each step
  // instead of once for each value.
  struct VaryingStep {
    static constexpr std::uint32_t fixed = ~std::uint32_t{0};

    Computation step;
    std::uint32_t column[3];  // of the operands a, b and c, or `fixed`; column 0 is the parameter itself
  };

  std::span<const VaryingStep> touching(std::uint32_t parameter) const {
    return {touching_.data() + first_[parameter], touching_.data() + first_[parameter + 1]};
  }
  void find_touching(std::uint32_t parameter, std::vector<std::uint32_t>& column_of);
  std::vector<Scalar> start(const std::uint32_t* choices) const;

  const ConstraintProblem& problem_;
  std::vector<std::pair<std::uint32_t, NodeId>> variables_;  // of open parameters that constraints read
  std::vector<Computation> steps_;
  std::vector<NodeId> variable_of_;    // by parameter
  std::vector<VaryingStep> touching_;  // one parameter after the other
  std::vector<std::uint32_t> first_;
  std::vector<std::optional<Blocks>> blocks_;  // by parameter; of wide domains that constraints read
};

// A Variation is a configuration of which one parameter at a time is varied.
class Checker::Variation {
 public:
  Variation(const Checker& checker, const std::uint32_t* choices);
  Variation(const Variation&) = delete;
  Variation& operator=(const Variation&) = delete;

  // Finds which choices of the parameter satisfy all constraints, the rest unchanged, and lists them in ascending
  // order. `domain` is what the checker was made with. Returns about how many values it took a look at.
  std::size_t find_valid(std::uint32_t parameter, std::span<const std::uint32_t> domain,
                         std::vector<std::uint32_t>& valid);

 private:
  bool may_vary(std::uint32_t parameter) const;
  bool rules_out(std::span<const VaryingStep> steps, const Bounds& block);
  void test(std::uint32_t parameter, std::span<const std::uint32_t> choices, std::vector<std::uint32_t>& valid);
  void run(const VaryingStep& varying, NodeId variable, Scalar* out);
  // Computes a column; with `check`, choices whose value is not true are no longer alive.
  template <class Compute>
  void for_alive(bool check, Scalar* out, Compute compute);
  void run_binary(Op op, const VaryingStep& varying, Scalar* out);

  // An Operand has the values of an operand; `stride` is 0 when the value is the same for every choice.
  struct Operand {
    const Scalar* values;
    std::size_t stride;
    Scalar operator[](std::size_t i) const { return values[i * stride]; }
  };
  Operand operand(NodeId node, std::uint32_t column) const;

  const Checker& checker_;
  std::vector<Scalar> base_;
  std::vector<NodeId> violated_;
  // Most spaces fit the array; allocating more than a kilobyte a query would cost as much as the query.
  std::array<Scalar, 640> small_columns_;
  std::vector<Scalar> large_columns_;
  Scalar* columns_ = small_columns_.data();
  std::size_t count_ = 0;             // of choices, which is a column's length
  std::vector<Bounds> bounds_;        // of the columns, for a block of choices
  std::vector<std::uint32_t> alive_;  // positions of the choices that no check has failed yet
};

}  // namespace warptune::search
