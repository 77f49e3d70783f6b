// Declares the verbs of `warptune history`.
#pragma once

#include "tuner/program/cli/grammar/context.h"

namespace warptune::tuner::cli {

// Adds `history rm`, `history name` and `history note`, which change the list of sessions.
void add_history_verbs(CLI::App& history, Context& context);

}  // namespace warptune::tuner::cli
