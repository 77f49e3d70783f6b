// The command line as data: what `help --json` prints, for programs that call this one. Made of the same definitions as
// help, completions and manual pages.
#pragma once

#include <CLI/CLI.hpp>

#include "tuner/kernel/json_values.h"
#include "tuner/program/cli/terminal/columns.h"

namespace warptune::tuner::cli {

// Of one verb with the verbs that it has itself; of the program, of all verbs.
Json guide(const CLI::App& program, const CLI::App& asked);

// Variables that the program reads, and what each means.
const Entries& environment_variables();

}  // namespace warptune::tuner::cli
