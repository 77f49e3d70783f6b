// What a crash on the host most likely came of, and where to look next.
#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner {

// Whether accesses were looked at when it happened (`warptune run --sanitize`, `--count`).
enum class Accesses { unknown, tracked };

// Behind "was killed by SIGSEGV"; empty if there is nothing to say. `step` is what was announced before the first trial
// (AnnouncedStep), and empty for a configuration's kernels.
std::string crash_hint(std::string_view step, int signal, Accesses accesses);

}  // namespace warptune::tuner
