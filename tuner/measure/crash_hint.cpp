// Chooses the hint by the signal and by the step that was running.
#include "tuner/measure/crash_hint.h"

#include <csignal>

#include "tuner/measure/verification/reference.h"

namespace warptune::tuner {

namespace {

// Returns whether the step is a reference or a fill that is written in C++ of its own, whose accesses are never
// tracked.
bool is_untracked(std::string_view step) {
  return !step.empty() && !is_default_as_reference(step);
}

std::string hint_on_address(std::string_view step, Accesses accesses) {
  if (is_untracked(step))
    return ": it may have read or written outside its arrays. It is never tracked: compare its loops with the shapes "
           "of the arguments, or take `warptune run` with --no-workers into a debugger";
  if (accesses == Accesses::tracked)
    return ": no access before it was out of bounds. A thread's stack of 256 KiB may have overflowed";
  return ": it may have read or written outside its buffers; `warptune run` with --sanitize looks for the line";
}

}  // namespace

std::string crash_hint(std::string_view step, int signal, Accesses accesses) {
  if (signal == SIGSEGV || signal == SIGBUS) return hint_on_address(step, accesses);
  if (signal == SIGFPE) return ": it may have divided an integer by zero, of which a GPU would not tell";
  return {};
}

}  // namespace warptune::tuner
