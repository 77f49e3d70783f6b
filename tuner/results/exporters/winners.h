// Turns the winners of a store into wisdom.
#pragma once

#include <vector>

#include "db/records.h"
#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner {

// Returns the store's winners as wisdom. `defaults` is the template's default configuration, or empty; `variants` are
// those that it offers, if it is known. Winners with other parameters, sizes or variants than the template has now (the
// newest winner's, without a template) are of another version of it: their sessions go to `left_out`.
Wisdom wisdom_of(const std::string& kernel, const std::vector<db::BestRecord>& winners,
                 const search::NamedValues& defaults, std::vector<db::SessionId>& left_out,
                 std::vector<search::Parameter> variants = {});

// Returns the winner whose template decides which parameters, sizes and variants are exported: of those that were
// measured, not recorded elsewhere, the newest. There must be at least one winner.
const db::BestRecord& deciding_winner(const std::vector<db::BestRecord>& winners);

}  // namespace warptune::tuner
