// Runs a template's reference, in whichever form it is given.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/device/backend.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/measure/memory/support_kernels.h"
#include "tuner/measure/verification/host_function.h"

namespace warptune::tuner {

// Runs the template's reference once. `buffers` holds device memory for every buffer argument; outputs are in their
// reference_type. A reference in CUDA runs on the device of `kernels`, a C++ function on the host with copies of the
// buffers. `code` holds the machine code of a reference in CUDA. It is compiled if it is still empty, and kept, because
// there may be no compiler later. Throws WorkloadError or DeviceError.
void run_reference(const KernelTemplate& kernel, const search::NamedValues& constants,
                   const std::map<std::string, MemorySpan>& buffers, SupportKernels& kernels, Compiler& compiler,
                   HostFunctions& functions, const BackendOptions& options, std::optional<MachineCode>& code);

// Returns "the default configuration of gemm, which is its reference,". It is for templates whose reference that is.
std::string default_in_words(const KernelTemplate& kernel);
// Returns whether an announced step runs a reference which is the template's own default configuration.
bool is_default_as_reference(std::string_view step);

}  // namespace warptune::tuner
