#pragma once

#include "db/records.h"
#include "tuner/compiler.h"
#include "tuner/device_info.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/measure/policy.h"

namespace warptune {

inline constexpr char tool_version[] = WARPTUNE_VERSION;

db::DeviceRecord device_record(const DeviceInfo& device);

// Everything that a measurement of this template depends on. Preprocesses the default configuration to hash the source
// with all its includes.
db::SessionKey session_key(const KernelTemplate& kernel, const DeviceInfo& device, Compiler& compiler,
                           const NamedValues& sizes, const NamedValues& constants, const MeasurePolicy& policy);

}  // namespace warptune
