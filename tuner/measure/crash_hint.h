// Explains what most likely caused a crash on the host, and where to look next.
#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner {

// Says whether memory accesses were tracked when the crash happened (`warptune run --sanitize`, `--count`).
enum class Accesses { unknown, tracked };

// Returns the text that follows "was killed by SIGSEGV"; empty if there is nothing to say. `step` is the step that was
// announced before the first trial (AnnouncedStep); it is empty for a configuration's kernels.
std::string crash_hint(std::string_view step, int signal, Accesses accesses);

}  // namespace warptune::tuner
