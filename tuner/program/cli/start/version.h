// Makes the text of `--version`: which program this is, and what it finds on this machine, for whoever reports a fault.
#pragma once

#include <string>

namespace warptune::tuner::cli {

// The text is "commit 7659bab", with " with changes" if the sources had any. Each build writes it (commit.cmake).
extern const char commit_text[];

// Returns "warptune 0.1.0 (commit 7659bab)".
std::string version_line();

// Returns that line, then a line each for the compiler, every backend's libraries, and SQLite. Starts no device.
std::string version_text();

}  // namespace warptune::tuner::cli
