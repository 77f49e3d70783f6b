// Lists the values that an option or argument may take, as far as they can be listed.
#pragma once

#include "tuner/program/cli/start/complete.h"

namespace warptune::tuner::cli {

struct Asked {
  const CLI::Option& option;
  const CLI::App& verb;
  std::string kernel;  // the template on the line; empty if there is none yet
  std::string typed;   // the beginning of the value
};

void add_values(const Asked& asked, const Context& context, Candidates& found);

}  // namespace warptune::tuner::cli
