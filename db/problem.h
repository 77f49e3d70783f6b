// Converts a session's problem to and from its row. The column `problem_size` holds sizes and variants as one JSON
// object sorted by name, which is what keys are compared by. The column `problem_names` says which are which, in the
// manifest's order:
//
//   {"sizes":["M","N","K"],"variants":["PRECISION"]}
//
// Rejected: a column for variants. The key would have had to become another, and with it every query that joins on it.
#pragma once

#include <string>

#include "db/records.h"

namespace warptune::db {

std::string problem_names(const SessionKey& key);

// Sets the key's sizes and variants from the two columns. A value that `names` does not name is a size; before names
// were kept, the column was empty, and there were only sizes. A value that is no integer is a variant, whatever `names`
// says. Throws nlohmann::json::exception.
void name_problem(const search::NamedValues& problem, const std::string& names, SessionKey& key);

}  // namespace warptune::db
