// Tunes a kernel for the problems of a file (`warptune tune --sizes`).
#pragma once

#include <filesystem>
#include <vector>

#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/context.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

// Implements `warptune tune --sizes`: every problem has a session of its own, all within the request's budget
// (session/sizes/sizes_tuning.h). `serve` is as for LivePage.
void tune_sizes(const TuneRequest& request, const std::vector<Problem>& problems, const KernelTemplate& kernel,
                const std::optional<std::string>& serve, Context& context);

// Returns the problems of a file. Each line has one problem of the kernel, its sizes and variants separated by spaces
// or commas; '#' begins a comment. Throws RequestError that names the line, also for a problem that the kernel does not
// have or that is there twice, and for a file without any.
std::vector<Problem> read_problems(const std::filesystem::path& file, const KernelTemplate& kernel);

}  // namespace warptune::tuner::cli
