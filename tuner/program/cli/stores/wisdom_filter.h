// Applies the options that choose among stored winners to those of a wisdom file.
#pragma once

#include "db/records.h"
#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner::cli {

// Returns the file's entries that the filter's device, backend, driver, sizes and variants match, as the store matches
// them. If none does, it returns none and says so on stderr. A rule for sizes that were not measured is dropped if it
// was learned from more entries. Throws WisdomError, and RequestError if the file is about another kernel than the
// filter.
Wisdom read_matching(const std::string& file, const db::HistoryFilter& filter);

}  // namespace warptune::tuner::cli
