// Turns parameters and constraint texts into what the search works on. This header is private to search/.
#pragma once

#include <cstdint>
#include <vector>

#include "search/expression/expression.h"
#include "search/parameter.h"
#include "search/space/graph.h"
#include "search/space/search_space.h"

namespace warptune::search {

// A ConstraintProblem holds the constraints over the parameters that are left open, once single-valued parameters have
// become constants and constraints of one parameter have been applied to its domain. The arguments of the constructor
// must outlive it.
class ConstraintProblem {
 public:
  using Domain = std::vector<std::uint32_t>;

  ConstraintProblem(const std::vector<Parameter>& parameters, const std::vector<Constraint>& constraints,
                    const NamedValues& constants);

  const Graph& graph() const { return graph_; }
  // Returns the conjuncts over two parameters or more.
  const std::vector<Root>& roots() const { return roots_; }
  // Returns for each parameter the choices that are left, ascending; none of them is empty unless `impossible`.
  const std::vector<Domain>& domains() const { return domains_; }
  // Leaves a parameter these choices; `fold` afterwards turns what is single-valued now into constants.
  void narrow(std::size_t parameter, Domain domain);
  void fold();
  // Returns whether a constraint is false whatever is chosen.
  bool impossible() const { return impossible_; }
  // Returns the values of a parameter by choice.
  const Scalar* values(std::uint32_t parameter) const { return values_.data() + first_value_[parameter]; }
  Scalar value(std::uint32_t parameter, std::uint32_t choice) const {
    return values_[first_value_[parameter] + choice];
  }
  std::size_t bytes() const;

 private:
  void parse();
  void translate();
  NodeId translate(std::size_t constraint);
  std::vector<std::uint32_t> parameters_of(NodeId node) const;
  NodeId resolve(const std::string& name, const std::string& text);
  void split(NodeId node, std::uint32_t constraint);
  bool apply_unary();
  void filter(NodeId root, std::uint32_t parameter);

  const std::vector<Parameter>& parameters_;
  const std::vector<Constraint>& constraints_;
  const NamedValues& constants_;
  std::vector<Expression> expressions_;  // owns the strings that the graph's constants point to
  std::vector<Scalar> values_;
  std::vector<std::uint32_t> first_value_;
  std::vector<Domain> domains_;
  Graph graph_;
  std::vector<Root> roots_;
  bool impossible_ = false;
};

// Shrinks large domains before the search. A constraint over few combinations of its other parameters leaves a large
// domain few values (the divisors of a size, of 1 … 1024): finding them constraint by constraint spares the search from
// trying the rest at every state.
void narrow_large_domains(ConstraintProblem& problem);

}  // namespace warptune::search
