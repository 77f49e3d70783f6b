#pragma once

#include "tuner/cli/context.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

// One problem size a line, values separated by spaces or commas; '#' begins a comment. Throws RequestError that names
// the line, also for a size that is there twice and for a file without any.
std::vector<search::NamedValues> read_sizes(const std::filesystem::path& file);

// `warptune tune --sizes`: every size a session of its own, all within the request's budget (select/size_budget.h says
// who gets how much of it). A slice continues its size's session from the store.
void tune_sizes(const TuneRequest& request, const std::vector<search::NamedValues>& sizes, Context& context);

}  // namespace warptune::tuner::cli
