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

// Runs the template's reference once. `buffers` holds device memory for every buffer argument; outputs in their
// reference_type. A reference in CUDA runs on the device of `kernels`, a C++ function on the host with copies of the
// buffers. `code` is of a reference in CUDA: compiled where there is none yet, for later there may be no compiler.
// Throws WorkloadError or DeviceError.
void run_reference(const KernelTemplate& kernel, const search::NamedValues& constants,
                   const std::map<std::string, MemorySpan>& buffers, SupportKernels& kernels, Compiler& compiler,
                   HostFunctions& functions, const BackendOptions& options, std::optional<MachineCode>& code);

// "the default configuration of gemm, which is its reference,", where it is.
std::string default_in_words(const KernelTemplate& kernel);
// Whether a step that was announced is that of a reference which is the template's own default configuration.
bool is_default_as_reference(std::string_view step);

}  // namespace warptune::tuner
