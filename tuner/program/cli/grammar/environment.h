// What the environment says: stores, caches, compilers, and where data that comes with the program lies.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "tuner/device/backend_options.h"
#include "tuner/measure/workers/program.h"

namespace warptune::tuner::cli {

// $WARPTUNE_DB, else $XDG_DATA_HOME/warptune/warptune.db, else ~/.local/share/warptune/warptune.db. Throws
// std::invalid_argument with the remedy if none of these is set: the working folder is nobody's choice.
std::filesystem::path default_database();
// $WARPTUNE_SYSTEM_DB.
std::filesystem::path system_database();
// $WARPTUNE_RECONNECT, for all connections of this process. Throws std::invalid_argument for what is no time.
void take_reconnecting_limit();

// $XDG_CACHE_HOME/warptune, else ~/.cache/warptune; compiled configurations are kept below it. Throws likewise.
std::filesystem::path default_cache_folder();

// Where sessions that measure on this machine hear of each other: $XDG_RUNTIME_DIR/warptune, else below the cache.
// Nothing if there is no place for one either.
std::optional<std::filesystem::path> presence_folder();

// This program, as a worker of itself.
workers::Program worker_program();

// Toolkit folders from $CUDA_HOME, $CUDA_PATH, $WARPTUNE_CUDA_PATH and the build; the host compiler from $CXX.
BackendOptions backend_options();

// Where what comes with the program lies: beside it (a build folder has links there), and where it is installed with
// it.
std::vector<std::filesystem::path> data_folders();

// Where templates are looked for by name, in this order: $WARPTUNE_TEMPLATES, ./templates, beside the program (in a
// build folder a link to the source tree's), and where they are installed with it.
std::vector<std::filesystem::path> template_search_path();

}  // namespace warptune::tuner::cli
