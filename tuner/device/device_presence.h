// Who else measures on a device: two sessions on one slow each other down, and neither's times are to be trusted.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tuner/system/file_descriptor.h"

namespace warptune::tuner {

// Says, as long as it lives, that this process measures on a device. By a locked file in a folder that all processes of
// a user share: the kernel drops the lock with the process, however that ends, so nobody is warned of the dead.
// Rejected: the process's number alone, which containers give twice and which is given again.
// Where the folder or its locks do not work, nobody is heard of; that is no reason not to measure.
class DevicePresence {
 public:
  struct Other {
    std::string process;  // its number
    std::string what;     // as given by it: what it measures
  };

  // `device` is a UUID, or any name that all processes of the machine give it.
  DevicePresence(std::filesystem::path folder, const std::string& device, const std::string& what);
  ~DevicePresence();
  DevicePresence(const DevicePresence&) = delete;
  DevicePresence& operator=(const DevicePresence&) = delete;

  // The others on the device that have not been returned before.
  std::vector<Other> newcomers();

 private:
  std::filesystem::path folder_;
  std::string prefix_;  // of the device's files
  std::filesystem::path own_;
  FileDescriptor held_;
  std::set<std::string> known_;
};

}  // namespace warptune::tuner
