// Reads the files that `tune --transfer` begins from.
#pragma once

#include <filesystem>

#include "tuner/session/request.h"

namespace warptune::tuner::cli {

// Returns the sessions that a file tells of: wisdom, a Kernel Tuner cache, T4, or sessions exported as warptune-json.
// Each entry of a wisdom file is a session of two trials, the winner and the default. Throws db::InterchangeError,
// WisdomError.
EarlierFile read_earlier_file(const std::filesystem::path& file);

}  // namespace warptune::tuner::cli
