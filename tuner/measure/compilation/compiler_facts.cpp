// Preprocesses every module of the default configuration.
#include "tuner/measure/compilation/compiler_facts.h"

#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"

namespace warptune::tuner {

CompilerFacts compiler_facts(const KernelTemplate& kernel, const std::string& backend, Compiler& compiler,
                             const search::NamedValues& constants) {
  const search::NamedValues scope = scope_of(constants, kernel.default_values);
  CompilerFacts facts{compiler.version(), {}};
  for (const CompileRequest& request : compile_requests(kernel, backend, kernel.default_values, scope))
    facts.preprocessed += compiler.preprocess(request);
  return facts;
}

}  // namespace warptune::tuner
