// `--version`: which program this is, and what it finds on this machine, for whoever reports a fault.
#pragma once

#include <string>

namespace warptune::tuner::cli {

// "commit 7659bab", with " with changes" if the sources had any; written by each build (commit.cmake).
extern const char commit_text[];

// "warptune 0.1.0 (commit 7659bab)".
std::string version_line();

// That line, then a line each for the compiler, every backend's libraries, and SQLite. Starts no device.
std::string version_text();

}  // namespace warptune::tuner::cli
