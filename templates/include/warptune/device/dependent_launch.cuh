// Programmatic dependent launches: a kernel that begins before the launch before it has ended. The launch says
// `programmatic = true` in the manifest.
//
//   prepare();                    // indices, constants: nothing that the launch before it writes
//   wait_for_previous_launch();   // all that it wrote is there
//   ...
//   let_next_launch_begin();      // the next one's blocks may take free multiprocessors and prepare, too
//
// Every thread that reads or overwrites what the launch before it touches waits first. Without the attribute, below
// compute capability 9.0 and on the host backend both do nothing. Source: CUDA C++ Programming Guide, "Programmatic
// Dependent Launch and Synchronization"; PTX ISA, "griddepcontrol".
#pragma once

namespace warptune::device {

// Returns when the launch before this one has ended and its writes can be seen.
__device__ inline void wait_for_previous_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The next launch may begin once every block of this one has called it, or has ended.
__device__ inline void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace warptune::device
