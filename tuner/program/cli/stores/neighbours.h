// Tells of other sessions that measure on the same device, each once, while this one measures.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tuner/device/device_info.h"
#include "tuner/device/device_presence.h"

namespace warptune::tuner::cli {

class Neighbours {
 public:
  // Tells at once of sessions that are there already. A thread looks for newcomers until the destruction. `what` is
  // what others hear of this session.
  Neighbours(const std::vector<DeviceInfo>& devices, const std::string& what);
  ~Neighbours();
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

 private:
  void tell();
  void watch();

  struct Watched {
    std::string id;
    std::unique_ptr<DevicePresence> presence;
  };
  std::vector<Watched> devices_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace warptune::tuner::cli
