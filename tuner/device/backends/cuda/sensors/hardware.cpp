// Reads /sys, /proc and /dev, and explains a driver's failure by what is there.
#include "tuner/device/backends/cuda/sensors/hardware.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace warptune::tuner::cuda {

namespace {

namespace fs = std::filesystem;

std::string first_word(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

// Returns whether a PCI device has NVIDIA's vendor number, and a class of display (03xx) or of accelerators (12xx).
bool is_nvidia_gpu(const fs::path& device) {
  const std::string kind = first_word(device / "class");
  return first_word(device / "vendor") == "0x10de" && (kind.starts_with("0x03") || kind.starts_with("0x12"));
}

// Returns the first word of digits and dots of "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Release
// Build …".
std::string module_version(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  return {};
}

// Returns whether CUDA opens a node of this name: nvidiactl, nvidia-uvm, nvidia0 …, dxg, but not nvidia-modeset or
// nvidia-caps.
bool is_node(const std::string& name) {
  if (name == "nvidiactl" || name == "nvidia-uvm" || name == "dxg") return true;
  return name.starts_with("nvidia") && name.size() > 6 &&
         std::all_of(name.begin() + 6, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string names_of(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(file.string());
  return fmt::format("{}", fmt::join(names, ", "));
}

Finding without_library(const std::string& failure, const Hardware& hardware) {
  if (!hardware.present())
    return {Health::warning, "there is no NVIDIA GPU on this machine, and no driver",
            "none is needed to tune on the processor: --device host"};
  const std::string what = finding_of(failure, Health::error).what;
  if (hardware.has_nodes || !hardware.module_version.empty())
    return {
        Health::error, fmt::format("{}, though the kernel module {} is loaded", what, hardware.module_version),
        "in a container: start it with `--gpus all` (NVIDIA Container Toolkit); else install the driver's libraries "
        "(Debian: libcuda1), or add their folder to LD_LIBRARY_PATH"};
  return {Health::error,
          fmt::format("{}, though {} NVIDIA GPU{} on the PCI bus", what, hardware.gpus,
                      hardware.gpus == 1 ? " is" : "s are"),
          "install NVIDIA's driver (Debian: nvidia-driver, Ubuntu: `ubuntu-drivers install`) and reboot; in a "
          "container: start it with `--gpus all`"};
}

}  // namespace

Hardware look_at_hardware(const fs::path& root) {
  Hardware hardware;
  std::error_code ignored;
  for (const auto& device : fs::directory_iterator(root / "sys/bus/pci/devices", ignored))
    hardware.gpus += is_nvidia_gpu(device.path()) ? 1 : 0;
  hardware.module_version = module_version(root / "proc/driver/nvidia/version");
  for (const auto& node : fs::directory_iterator(root / "dev", ignored)) {
    if (!is_node(node.path().filename().string())) continue;
    hardware.has_nodes = true;
    if (::access(node.path().c_str(), R_OK | W_OK) != 0) hardware.closed_nodes.push_back(node.path());
  }
  std::ranges::sort(hardware.closed_nodes);
  return hardware;
}

Finding explain_driver(const std::string& failure, bool opened, const Hardware& hardware) {
  if (!opened) return without_library(failure, hardware);
  Finding finding = finding_of(failure, Health::error);
  if (!hardware.closed_nodes.empty()) {
    finding.what += fmt::format("; this user may not open {}", names_of(hardware.closed_nodes));
    finding.remedy =
        "get read and write permission: `ls -l /dev/nvidia*` names the group; `sudo usermod -aG GROUP $USER`, then log "
        "in again";
  } else if (!hardware.present()) {
    finding.health = Health::warning;
    finding.what += "; there is no NVIDIA GPU on this machine";
  } else if (!hardware.module_version.empty()) {
    finding.what += fmt::format("; the kernel module is {}", hardware.module_version);
  }
  return finding;
}

Health severity(const Hardware& hardware) {
  return hardware.present() ? Health::error : Health::warning;
}

}  // namespace warptune::tuner::cuda
