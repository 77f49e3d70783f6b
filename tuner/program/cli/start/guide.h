// Describes the command line as data, which `help --json` prints for programs that call this one. It is made of the
// same definitions as help, completions and manual pages.
#pragma once

#include "tuner/kernel/json_values.h"
#include "tuner/program/cli/terminal/output.h"

namespace CLI {
class App;
}  // namespace CLI

namespace warptune::tuner::cli {

// Returns the guide of one verb with the verbs that it has itself. If `asked` is the program, it is of all verbs.
Json guide(const CLI::App& program, const CLI::App& asked);

// Returns the variables that the program reads, and what each means.
const Entries& environment_variables();

}  // namespace warptune::tuner::cli
