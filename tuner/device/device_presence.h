// Finds out who else measures on a device: two sessions on one slow each other down, and neither's times can be
// trusted.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tuner/system/file_descriptor.h"

namespace warptune::tuner {

// Says, as long as it lives, that this process measures on a device. It locks a file in a folder that all processes of
// a user share. The kernel drops the lock with the process, however that ends, so nobody is warned of a dead process.
// Rejected: the process's number alone, because two containers may give out the same one, and because it is given
// again.
// Where the folder or its locks do not work, no other process is found. That is no reason not to measure.
class DevicePresence {
 public:
  struct Other {
    std::string process;  // the process's number
    std::string what;     // what it measures, in its own words
  };

  // `device` is a UUID, or any name that all processes of the machine give it.
  DevicePresence(std::filesystem::path folder, const std::string& device, const std::string& what);
  ~DevicePresence();
  DevicePresence(const DevicePresence&) = delete;
  DevicePresence& operator=(const DevicePresence&) = delete;

  // Returns the others on the device that it has not returned before.
  std::vector<Other> newcomers();

 private:
  std::filesystem::path folder_;
  std::string prefix_;  // of the device's files
  std::filesystem::path own_;
  FileDescriptor held_;
  std::set<std::string> known_;
};

}  // namespace warptune::tuner
