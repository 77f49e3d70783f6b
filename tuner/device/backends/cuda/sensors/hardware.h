// Looks at what this machine shows of NVIDIA hardware without any library: the PCI bus, the kernel module, the device
// nodes. It tells a machine without a GPU, where nothing is wrong, from one whose GPU cannot be used.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/device/examination.h"

namespace warptune::tuner::cuda {

struct Hardware {
  int gpus = 0;                                     // NVIDIA display controllers on the PCI bus
  std::string module_version;                       // of the loaded kernel module, "580.159.04"; empty: none
  bool has_nodes = false;                           // /dev/nvidia* or, under WSL, /dev/dxg
  std::vector<std::filesystem::path> closed_nodes;  // those of them that this user may not open

  bool present() const { return gpus > 0 || has_nodes || !module_version.empty(); }
};

// `root` is another folder in tests.
Hardware look_at_hardware(const std::filesystem::path& root = "/");

// Explains why the driver does not start, and what to do, from the library's own `failure` ("…; remedy") in the light
// of the hardware. `opened` says whether libcuda itself could be loaded.
Finding explain_driver(const std::string& failure, bool opened, const Hardware& hardware);

// Returns Health::error where there is a GPU to be used, else Health::warning, for what only a GPU needs.
Health severity(const Hardware& hardware);

}  // namespace warptune::tuner::cuda
