// Says in one line what went wrong, from a compiler's log. A log is made for whoever wrote all of the source. Here part
// of the source is the program's own (the host's shim, lines that name kernels), which nobody can mend.
#pragma once

#include <string>
#include <string_view>

#include "search/trial.h"

namespace warptune::tuner {

// Returns the first error in a file of the user's, such as "kernel.cu:3: identifier "x" is undefined", from a log of
// NVRTC's, g++'s or clang++'s. If there is none, it returns the first error elsewhere (a toolkit's header, the shim),
// and its place is the user's line that led there, if that is known. If the log says nothing of errors, it returns its
// first line that says something.
std::string first_error(std::string_view log);

// Returns the log without the newlines that it may end in.
std::string_view without_last_newlines(std::string_view log);

// Returns the header that the compiler did not find, as the source includes it. The text is empty if that is not what
// the log says.
std::string missing_header(std::string_view log);

// Says why a trial failed, in one line: the compiler's first error, or the first line of the message. The text is empty
// if the trial is correct.
std::string failure_text(const search::Trial& trial);

}  // namespace warptune::tuner
