// Evaluates the constraints on given configurations. Private to search/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/space/problem.h"

namespace warptune {

// A configuration under change, one parameter at a time: only what depends on that parameter is computed again.
class Checker {
 public:
  explicit Checker(const Problem& problem);

  // Whether every constraint over two parameters or more holds. Choices must be within the declared domains.
  bool holds(const std::uint32_t* choices) const;

  class Variation;

  std::size_t bytes() const;

 private:
  std::span<const Step> touching(std::uint32_t parameter) const {
    return {touching_.data() + first_[parameter], touching_.data() + first_[parameter + 1]};
  }
  std::vector<Scalar> start(const std::uint32_t* choices) const;

  const Problem& problem_;
  std::vector<std::pair<std::uint32_t, NodeId>> variables_;  // of open parameters that constraints read
  std::vector<NodeId> variable_of_;                          // by parameter; 0 if `touching` is empty
  std::vector<Step> steps_;
  std::vector<Step> touching_;  // the steps that depend on each parameter, one parameter after the other
  std::vector<std::uint32_t> first_;
};

class Checker::Variation {
 public:
  Variation(const Checker& checker, const std::uint32_t* choices);

  // Whether changing this parameter can make the configuration valid: nothing else is violated.
  bool may_vary(std::uint32_t parameter) const;
  // Whether the constraints that touch the parameter hold with this choice for it.
  bool holds_with(std::uint32_t parameter, std::uint32_t choice);
  // Undoes `holds_with`; to be called before another parameter is varied.
  void restore(std::uint32_t parameter);

 private:
  const Checker& checker_;
  std::vector<Scalar> base_;
  std::vector<Scalar> slots_;
  std::vector<NodeId> violated_;
};

}  // namespace warptune
