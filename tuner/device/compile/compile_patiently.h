// Distinguishes what a compiler says of a source from what befell the compiler on this machine.
#pragma once

#include <string_view>

#include "tuner/device/compile/compiler.h"

namespace warptune::tuner {

// Returns whether a log tells of the machine's trouble (no memory, no process, no disk space, a killed or crashed
// compiler) rather than of the source. It knows the words of GCC, Clang, their linkers and NVRTC. What the source
// itself makes a compiler say (#error, static_assert) does not count.
bool tells_of_the_machine(std::string_view log);

// Compiles, and tries again a little later (three times in all) where the result is unfinished.
CompileResult compile_patiently(Compiler& compiler, const CompileRequest& request);

}  // namespace warptune::tuner
