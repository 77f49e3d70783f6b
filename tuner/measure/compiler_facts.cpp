#include "tuner/measure/compiler_facts.h"

#include "tuner/kernel/plan.h"

namespace warptune::tuner {

CompilerFacts compiler_facts(const KernelTemplate& kernel, const std::string& backend, Compiler& compiler,
                             const search::NamedValues& constants) {
  search::NamedValues scope = constants;
  scope.insert(scope.end(), kernel.default_values.begin(), kernel.default_values.end());
  CompilerFacts facts{compiler.version(), {}};
  for (const CompileRequest& request : compile_requests(kernel, backend, kernel.default_values, scope))
    facts.preprocessed += compiler.preprocess(request);
  return facts;
}

}  // namespace warptune::tuner
