// The options that choose among stored winners, for those of a wisdom file.
#pragma once

#include "db/records.h"
#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner::cli {

// Of the file's entries those that the filter's device, backend, driver, sizes and variants match, as the store matches
// them; none, with a line on stderr, if none does. A rule for sizes that were not measured goes if it was learned from
// more. Throws WisdomError, and RequestError if the file is about another kernel than the filter.
Wisdom read_matching(const std::string& file, const db::HistoryFilter& filter);

}  // namespace warptune::tuner::cli
