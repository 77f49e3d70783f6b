#pragma once

#include "tuner/program/cli/grammar/context.h"

namespace warptune::tuner::cli {

// `history rm`, `history name`, `history note`: what changes the list of sessions.
void add_history_verbs(CLI::App& history, Context& context);

}  // namespace warptune::tuner::cli
