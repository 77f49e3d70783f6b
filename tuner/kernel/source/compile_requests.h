// Makes the requests to compilers for a configuration of a template, for its reference and for its C++ functions.
#pragma once

#include <string>
#include <vector>

#include "tuner/device/compile/compiler.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns the options of all configurations, as the manifest has them: "-maxrregcount={REGISTERS}".
std::vector<std::string> options_for(const KernelTemplate& kernel, const std::string& backend);

// Returns what the compiler needs for one configuration of the template, read from its source file. Every source gets
// the problem's variants as macros. Throws std::invalid_argument if `scope` lacks one of them.
CompileRequest compile_request(const KernelTemplate& kernel, const std::string& backend,
                               const search::NamedValues& configuration, const search::NamedValues& scope);
// Does the same for any template. Returns one request for each module of the configuration, of which a manifest's has
// one.
std::vector<CompileRequest> compile_requests(const KernelTemplate& kernel, const std::string& backend,
                                             const search::NamedValues& configuration,
                                             const search::NamedValues& scope);
CompileRequest reference_compile_request(const KernelTemplate& kernel, const std::string& backend,
                                         const search::NamedValues& scope);
// Returns the request for one of the template's C++ functions, for the host backend.
CompileRequest function_compile_request(const KernelTemplate& kernel, const HostFunction& function,
                                        const search::NamedValues& scope);

}  // namespace warptune::tuner
