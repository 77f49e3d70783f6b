// Keeps a kernel that runs in this process, as the host backend's do, from what is not its process's, by a filter of
// system calls (seccomp) on the threads that run kernels. Rejected: a child process for kernels. It would hold even
// against a kernel that searches memory, but every launch would cross processes, and every time that the host measures
// would include that. All that is said of a kernel is computed in its address space anyway (DECISIONS.md).
#pragma once

namespace warptune::tuner {

// From now on threads that run kernels are confined to their own memory, threads, pipes and output, to clocks, and to
// reading. So they do not use `sealed`, the descriptor of this process's channel; make, change, empty, rename or remove
// files; start, signal or limit other processes, or look into them; reach a network or a terminal; pass descriptors on;
// set a timer, a handler of signals, a limit or a priority for this process. That fails with EPERM, but binding threads
// to cores seems to work. A kernel that stops its process ends it (SIGSYS).
//
// They still may read whatever file this process may read, devices only where there is no Landlock; write to
// descriptors that were not closed before; take all of the memory and the time, and start threads. The confinement
// holds only for what a kernel calls itself. A kernel that overwrites the memory of its process's other threads, which
// are not confined, can do what these can: this is no sandbox (device/backends/host/LIMITS.md).
void confine_kernels(int sealed);

// Confines the calling thread, and those that it will start, for good, if that is wanted and not yet done. It has no
// effect where the system has no seccomp, or the processor is neither x86-64 nor AArch64.
void confine_this_thread();

}  // namespace warptune::tuner
