// Makes the keys of sessions, which say what their measurements depend on, and compares them.
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

// Describes a part of a session's key that is no longer what it was when the session was recorded.
struct KeyDifference {
  std::string part;  // "device", "architecture", "driver", "compiler", "source", "manifest", "options", "policy", …
  std::string recorded;
  std::string today;
  bool hashes = false;  // the texts are hashes, which tell people only that something changed
};

// Returns the differences in the key's order. The kernel's name is not compared.
std::vector<KeyDifference> key_differences(const db::SessionKey& recorded, const db::SessionKey& today);

// Returns a text for the keys of compiled code. It stands for what the compiler adds by itself (a shim, a toolkit's
// headers) and for all headers that a session may include (KernelTemplate::headers_hash).
std::string compiler_salt(const CompilerFacts& compiler, const std::string& headers_hash);

db::DeviceRecord device_record(const DeviceInfo& device);

// Returns the key of everything that a measurement of this template depends on. `objective` is what it is rated by
// ("time", "GFLOP/s,joules").
db::SessionKey session_key(const KernelTemplate& kernel, const DeviceInfo& device, const CompilerFacts& compiler,
                           const Problem& problem, const search::NamedValues& constants, const MeasurePolicy& policy,
                           const std::string& objective);

// Returns the manifest's part of a key as versions up to 0.1 made it, from the whole text. Their sessions are continued
// and are current as long as that text is the same.
std::string earlier_manifest_hash(const KernelTemplate& kernel);
// Returns whether a session with this key was measured under what the manifest says now.
bool has_manifest_of(const KernelTemplate& kernel, const db::SessionKey& key);

}  // namespace warptune::tuner
