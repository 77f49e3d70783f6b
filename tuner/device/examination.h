// What `warptune doctor` asks: questions as data, each answered by findings with a remedy. Here and not beside the
// verb, because only a backend knows what it needs.
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

// One question of a backend's. It may answer with several findings, or none if it does not apply to this machine.
// Asked in a process of its own: it may crash, or never come back.
struct Examination {
  std::string name;  // "driver"
  std::vector<Finding> (*examine)(const BackendOptions& options) = nullptr;
};

// What a backend tells of itself beside its devices. Apart from BackendEntry, which measuring needs and this does not.
struct SelfExamination {
  std::string_view backend;
  // What it finds of others' libraries and programs, a line each with version and place, or why not. Starts no device.
  std::vector<std::string> (*opened)(const BackendOptions& options) = nullptr;
  // What can be wrong with it on a machine, beside opening devices and running kernels, which hold for every backend.
  std::vector<Examination> examinations;
};

// In the order of backends() (tuner/device/backends/registry.cpp).
const std::vector<SelfExamination>& self_examinations();

// An error's message in its two halves: what is wrong, and behind the first semicolon, else the last colon, what to do
// next.
Finding finding_of(const std::string& message, Health health);

// How this system installs a package: "apt-get install g++" of {"g++", "gcc-c++", "gcc"}, which are its names on
// Debian, Fedora and others; the first where the system is unknown. Reads /etc/os-release.
struct PackageNames {
  std::string debian, fedora, other;
};
std::string install_command(const PackageNames& names);

}  // namespace warptune::tuner
