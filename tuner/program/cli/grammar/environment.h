// Reads from the environment where stores, caches, compilers and the program's own data lie.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "tuner/device/backend_options.h"
#include "tuner/measure/workers/program.h"

namespace warptune::tuner::cli {

// Returns $WARPTUNE_DB, else $XDG_DATA_HOME/warptune/warptune.db, else ~/.local/share/warptune/warptune.db. Throws
// std::invalid_argument with the remedy if none of these is set. The working folder is no fallback, since nobody chose
// it.
std::filesystem::path default_database();
// Returns $WARPTUNE_SYSTEM_DB; empty if it is not set.
std::filesystem::path system_database();
// Sets how long all connections of this process try to reconnect, if $WARPTUNE_RECONNECT is set. Throws
// std::invalid_argument for what is no time.
void take_reconnecting_limit();

// Returns $XDG_CACHE_HOME/warptune, else ~/.cache/warptune. Compiled configurations are kept below it. Throws
// std::invalid_argument if neither is set.
std::filesystem::path default_cache_folder();

// Returns the folder where sessions that measure on this machine hear of each other: below $XDG_RUNTIME_DIR/warptune,
// else below the cache. Returns nothing if there is no place for a cache either.
std::optional<std::filesystem::path> presence_folder();

// Returns this program, which also runs as its own workers.
workers::Program worker_program();

// Returns the toolkit folders from $CUDA_HOME, $CUDA_PATH, $WARPTUNE_CUDA_PATH and the build, and the host compiler
// from $CXX.
BackendOptions backend_options();

// Returns the folders where data that comes with the program may lie: beside the program (a build folder has links
// there), and where it is installed with it.
std::vector<std::filesystem::path> data_folders();

// Returns the folders where templates are looked for by name, in this order: $WARPTUNE_TEMPLATES, ./templates, beside
// the program (in a build folder a link to the source tree's), and where they are installed with it.
std::vector<std::filesystem::path> template_search_path();

}  // namespace warptune::tuner::cli
