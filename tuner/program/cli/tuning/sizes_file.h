// Reads the file of `warptune tune --sizes`.
#pragma once

#include <filesystem>
#include <vector>

#include "tuner/kernel/problem.h"

namespace warptune::tuner::cli {

// Returns the problems of a file. Each line has one problem of the kernel, its sizes and variants separated by spaces
// or commas; '#' begins a comment. Throws RequestError that names the line, also for a problem that the kernel does not
// have or that is there twice, and for a file without any.
std::vector<Problem> read_problems(const std::filesystem::path& file, const KernelTemplate& kernel);

}  // namespace warptune::tuner::cli
