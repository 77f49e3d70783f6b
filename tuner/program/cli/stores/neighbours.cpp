// Looks for newcomers in a thread, twice a second.
#include "tuner/program/cli/stores/neighbours.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>

#include "tuner/program/cli/grammar/context.h"
#include "tuner/program/cli/grammar/environment.h"

namespace warptune::tuner::cli {

Neighbours::Neighbours(const std::vector<DeviceInfo>& devices, const std::string& what) {
  const auto folder = presence_folder();
  if (!folder) return;
  for (const DeviceInfo& device : devices)
    if (device.backend != "replay")  // a recording is nobody's device
      devices_.push_back(
          {device.id, std::make_unique<DevicePresence>(*folder, device.uuid.empty() ? device.id : device.uuid, what)});
  if (devices_.empty()) return;
  tell();
  // The new thread takes no signals: they are for the thread that waits for the workers.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Neighbours::~Neighbours() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void Neighbours::tell() {
  for (const Watched& device : devices_)
    for (const DevicePresence::Other& other : device.presence->newcomers()) {
      say(fmt::format("another session (process {}, {}) measures on {}: both are slowed, times are not to be trusted",
                      other.process, other.what, device.id));
    }
}

void Neighbours::watch() {
  constexpr std::chrono::milliseconds between(500);
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, between, [this] { return end_; })) tell();
}

}  // namespace warptune::tuner::cli
