// Every kind of evaluator, over the same small space.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tuner/measure/evaluator.h"

namespace warptune::tuner {

// BLOCK is 32 or 64; MODE is "right", "wrong" (a wrong result) or "broken" (does not compile).
class EvaluatorWorld {
 public:
  virtual ~EvaluatorWorld() = default;
  virtual const search::SearchSpace& space() const = 0;
  virtual Evaluator& evaluator() = 0;
};

struct EvaluatorCase {
  std::string name;
  std::unique_ptr<EvaluatorWorld> (*make)();
};
inline void PrintTo(const EvaluatorCase& tested, std::ostream* out) {
  *out << tested.name;
}
std::vector<EvaluatorCase> evaluator_cases();

}  // namespace warptune::tuner
