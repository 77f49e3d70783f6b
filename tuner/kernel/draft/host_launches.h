// Reads the launches in a function of the host: kernel<<<…>>>(…), cudaLaunchKernel, cudaLaunchCooperativeKernel and
// cudaLaunchKernelEx.
#pragma once

#include "tuner/kernel/draft/source_facts.h"

namespace warptune::tuner::draft {

void read_launches(const SourceItem& function, std::vector<HostLaunch>& launches);

}  // namespace warptune::tuner::draft
