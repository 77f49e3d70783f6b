// Declares what `warptune doctor` asks: questions as data, each of which is answered by findings with a remedy. They
// are here and not beside the verb, because only a backend knows what it needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/backend_options.h"

namespace warptune::tuner {

enum class Health {
  ok,
  warning,  // tuning works, with less than there could be
  error,    // this part does not work
};

struct Finding {
  Health health = Health::ok;
  std::string what;    // "NVRTC 13.0, /usr/local/cuda/lib64/libnvrtc.so.13"
  std::string remedy;  // what to do next; empty if all is well
};

// Describes one question of a backend. It may be answered by several findings, or by none if it does not apply to this
// machine. It is asked in a process of its own, because it may crash or never come back.
struct Examination {
  std::string name;  // "driver"
  std::vector<Finding> (*examine)(const BackendOptions& options) = nullptr;
};

// Describes what a backend tells of itself beside its devices. It is apart from BackendEntry, because measuring does
// not need it.
struct SelfExamination {
  std::string_view backend;
  // Returns a line for each library or program of others that the backend finds, with its version and place, or why it
  // cannot be opened. It starts no device.
  std::vector<std::string> (*opened)(const BackendOptions& options) = nullptr;
  // Lists what can be wrong with the backend on a machine. Opening devices and running kernels are left out, because
  // these hold for every backend.
  std::vector<Examination> examinations;
};

// Returns the self-examination of each backend, in the order of backends() (tuner/device/backends/registry.cpp).
const std::vector<SelfExamination>& self_examinations();

// Splits an error's message into what is wrong and what to do next. The second half begins behind the first semicolon,
// or else behind the last colon.
Finding finding_of(const std::string& message, Health health);

// Names a package as Debian, Fedora and other systems do: {"g++", "gcc-c++", "gcc"}.
struct PackageNames {
  std::string debian, fedora, other;
};
// Returns how this system installs a package: "apt-get install g++". It takes Debian's way where the system is unknown.
// It reads /etc/os-release.
std::string install_command(const PackageNames& names);

}  // namespace warptune::tuner
