#include "tuner/measure/compiler_facts.h"

#include "tuner/kernel/plan.h"

namespace warptune::tuner {

CompilerFacts compiler_facts(const KernelTemplate& kernel, const std::string& backend, Compiler& compiler,
                             const search::NamedValues& constants) {
  search::NamedValues scope = constants;
  scope.insert(scope.end(), kernel.default_values.begin(), kernel.default_values.end());
  return {compiler.version(), compiler.preprocess(compile_request(kernel, backend, kernel.default_values, scope))};
}

}  // namespace warptune::tuner
