#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tuner/device/backend.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Compiles and calls one of the template's C++ functions with copies of its buffers, and returns the copies by the
// buffers' names. `buffers` holds device memory for every buffer argument of the function; a reference's temporaries
// need none. Throws WorkloadError or DeviceError.
std::map<std::string, std::vector<std::byte>> call_on_host(const KernelTemplate& kernel, const HostFunction& function,
                                                           const search::NamedValues& constants,
                                                           const std::map<std::string, MemorySpan>& buffers,
                                                           Device& device, const BackendOptions& options);

}  // namespace warptune::tuner
