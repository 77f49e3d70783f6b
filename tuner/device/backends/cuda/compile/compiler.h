// Declares the compiler of the CUDA backend.
#pragma once

#include <memory>

#include "tuner/device/backend.h"
#include "tuner/device/compile/compiler.h"

namespace warptune::tuner::cuda {

// Makes a compiler that runs NVRTC for the device's architecture. It needs neither the device nor the driver. Throws
// NoDeviceError if NVRTC is not on this machine or cannot compile for the architecture.
//
// The compiler makes the device's own machine code (sm_XY), never PTX. An architecture among a request's options
// (--gpu-architecture=sm_90a) counts only on the device that it is a variant of (9.0). Elsewhere it is dropped, so that
// a template may name the variants that it can use.
//
// NVRTC itself has to obey a compile time-out (BackendOptions::compile_timeout_s). Since 12.8 it asks between the steps
// of its optimiser whether to go on, but not while it parses and instantiates templates (13.0: 20 s without asking).
// Before 12.8 it never asks. What must end for certain belongs in a process that can be killed.
std::unique_ptr<Compiler> make_compiler(const DeviceInfo& device, const BackendOptions& options);

}  // namespace warptune::tuner::cuda
