// Splits messages, and finds out which package manager this system has.
#include "tuner/device/examination.h"

#include <fstream>

namespace warptune::tuner {

namespace {

// Returns ID and ID_LIKE of os-release: "ubuntu debian".
std::string system_family() {
  std::ifstream file("/etc/os-release");
  std::string family;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("ID=") || line.starts_with("ID_LIKE=")) family += line.substr(line.find('=') + 1) + " ";
  return family;
}

}  // namespace

Finding finding_of(const std::string& message, Health health) {
  const std::size_t semicolon = message.find("; "), colon = message.rfind(": ");
  const std::size_t end = semicolon != std::string::npos ? semicolon : colon;
  if (end == std::string::npos) return {health, message, ""};
  return {health, message.substr(0, end), message.substr(end + 2)};
}

std::string install_command(const PackageNames& names) {
  const std::string family = system_family();
  const auto is = [&](const char* name) { return family.find(name) != std::string::npos; };
  if (is("fedora") || is("rhel") || is("centos")) return "dnf install " + names.fedora;
  if (is("suse")) return "zypper install " + names.fedora;
  if (is("arch")) return "pacman -S " + names.other;
  if (is("alpine")) return "apk add " + names.debian;
  return "apt-get install " + names.debian;
}

}  // namespace warptune::tuner
