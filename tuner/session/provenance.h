#pragma once

#include <string>
#include <vector>

#include "db/records.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/compilation/compiler_facts.h"
#include "tuner/measure/sampling/policy.h"

namespace warptune::tuner {

inline constexpr char tool_version[] = WARPTUNE_VERSION;

// A part of a session's key that is not now what it was then.
struct KeyDifference {
  std::string part;  // "device", "architecture", "driver", "compiler", "source", "manifest", "options", "policy", …
  std::string recorded;
  std::string today;
  bool hashes = false;  // which say nothing to people but that it changed
};

// In the key's order; the kernel's name is not compared.
std::vector<KeyDifference> key_differences(const db::SessionKey& recorded, const db::SessionKey& today);

// What the compiler adds by itself (a shim, a toolkit's headers) and all headers that a session may include
// (KernelTemplate::headers_hash), for the keys of compiled code.
std::string compiler_salt(const CompilerFacts& compiler, const std::string& headers_hash);

db::DeviceRecord device_record(const DeviceInfo& device);

// Everything that a measurement of this template depends on, and what it is rated by ("time", "GFLOP/s,joules").
db::SessionKey session_key(const KernelTemplate& kernel, const DeviceInfo& device, const CompilerFacts& compiler,
                           const Problem& problem, const search::NamedValues& constants, const MeasurePolicy& policy,
                           const std::string& objective);

// The manifest's part of a key as versions up to 0.1 made it, from the whole text. Their sessions are continued and are
// current as long as that text is the same.
std::string earlier_manifest_hash(const KernelTemplate& kernel);
// Whether a session with this key measured with what this manifest says now, as far as the manifest goes.
bool has_manifest_of(const KernelTemplate& kernel, const db::SessionKey& key);

}  // namespace warptune::tuner
