// The file of `warptune tune --sizes`.
#pragma once

#include <filesystem>
#include <vector>

#include "tuner/kernel/problem.h"

namespace warptune::tuner::cli {

// One problem of the kernel a line, its sizes and variants separated by spaces or commas; '#' begins a comment. Throws
// RequestError that names the line, also for one that the kernel does not have or that is there twice, and for a file
// without any.
std::vector<Problem> read_problems(const std::filesystem::path& file, const KernelTemplate& kernel);

}  // namespace warptune::tuner::cli
