// What compilers need for a configuration of a template, for its reference and for its C++ functions.
#pragma once

#include <string>
#include <vector>

#include "tuner/device/compile/compiler.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// The options of all configurations, as the manifest has them: "-maxrregcount={REGISTERS}".
std::vector<std::string> options_for(const KernelTemplate& kernel, const std::string& backend);

// What the compiler needs for one configuration of the template, read from its source file. Every source gets the
// problem's variants as macros, from `scope`, which must have them: std::invalid_argument if it has not.
CompileRequest compile_request(const KernelTemplate& kernel, const std::string& backend,
                               const search::NamedValues& configuration, const search::NamedValues& scope);
// The same of any template: one for each module of the configuration, of which a manifest's has one.
std::vector<CompileRequest> compile_requests(const KernelTemplate& kernel, const std::string& backend,
                                             const search::NamedValues& configuration,
                                             const search::NamedValues& scope);
CompileRequest reference_compile_request(const KernelTemplate& kernel, const std::string& backend,
                                         const search::NamedValues& scope);
// Of one of the template's C++ functions, for the host backend.
CompileRequest function_compile_request(const KernelTemplate& kernel, const HostFunction& function,
                                        const search::NamedValues& scope);

}  // namespace warptune::tuner
