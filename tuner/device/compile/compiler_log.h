// What a compiler's log says went wrong, in one line. A log is made for whoever wrote all of the source; here part of
// it is the program's own (the host's shim, lines that name kernels), which nobody can mend.
#pragma once

#include <string>
#include <string_view>

#include "search/trial.h"

namespace warptune::tuner {

// The first error in a file of the user's, as "kernel.cu:3: identifier "x" is undefined", of NVRTC's, g++'s and
// clang++'s logs. Of an error elsewhere (a toolkit's header, the shim) the place is the user's line that led there. If
// none is known, or the log says nothing of errors, its first line that says something.
std::string first_error(std::string_view log);

// Without the newlines that it may end in.
std::string_view without_last_newlines(std::string_view log);

// The header that the compiler did not find, as the source includes it; empty if that is not what it says.
std::string missing_header(std::string_view log);

// Why a trial failed, in one line: the compiler's first error, or the first line of the message. Empty if it is
// correct.
std::string failure_text(const search::Trial& trial);

}  // namespace warptune::tuner
