// What keeps a kernel that runs in this process, as the host backend's do, from this process's affairs: a filter of
// system calls (seccomp) on the threads that run kernels. Rejected: a child process for kernels. It would hold even
// against one that searches memory, but every launch would cross a process, and with it every time that the host
// measures; all that is said of a kernel is computed in its address space anyway (DECISIONS.md).
#pragma once

namespace warptune::tuner {

// From now on threads that run kernels are confined: they cannot use `sealed`, the descriptor of this process's
// channel, start or signal other processes, look into them, or open files for writing. What they may not do fails with
// EPERM. Descriptors that are open stay usable, and printing with them.
void confine_kernels(int sealed);

// Confines the calling thread, and those that it will start, for good, if that is wanted and not yet done. Without
// effect where the system has no seccomp.
void confine_this_thread();

}  // namespace warptune::tuner
