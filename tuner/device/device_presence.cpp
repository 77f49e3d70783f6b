// Keeps a locked file for each process that measures. It is named after the device and tells what is measured.
#include "tuner/device/device_presence.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

namespace warptune::tuner {

namespace fs = std::filesystem;

namespace {

// Returns how the names of a device's files begin: its UUID, with only such characters as a name may have.
std::string file_name_of(const std::string& device) {
  std::string name = device;
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter)) && letter != '-') letter = '_';
  return name + '.';
}

// Returns whether the file's process is gone, so that nobody holds a lock on it. The lock tried here is a shared one,
// so that two processes that look at once do not take each other for the file's owner.
bool is_abandoned(const fs::path& file) {
  const FileDescriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return opened.get() >= 0 && flock(opened.get(), LOCK_SH | LOCK_NB) == 0;
}

}  // namespace

DevicePresence::DevicePresence(fs::path folder, const std::string& device, const std::string& what)
    : folder_(std::move(folder)), prefix_(file_name_of(device)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  // The file is locked before it has the name by which others find it.
  std::string name = (folder_ / "new-XXXXXX").string();
  held_ = FileDescriptor(mkostemp(name.data(), O_CLOEXEC));
  if (held_.get() < 0) return;
  const std::string text = std::to_string(getpid()) + '\n' + what + '\n';
  const bool written = write(held_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  own_ = folder_ / (prefix_ + name.substr(name.size() - 6));
  if (written && flock(held_.get(), LOCK_EX | LOCK_NB) == 0) fs::rename(name, own_, error);
  if (!written || error) fs::remove(name, error);
}

DevicePresence::~DevicePresence() {
  std::error_code ignored;
  if (!own_.empty()) fs::remove(own_, ignored);
}

std::vector<DevicePresence::Other> DevicePresence::newcomers() {
  std::vector<Other> found;
  if (held_.get() < 0) return found;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix_) || entry->path() == own_ || known_.count(name) > 0) continue;
    if (is_abandoned(entry->path())) {
      std::error_code ignored;
      fs::remove(entry->path(), ignored);
      continue;
    }
    Other other;
    std::ifstream lines(entry->path());
    if (!std::getline(lines, other.process) || !std::getline(lines, other.what)) continue;  // it is just ending
    known_.insert(name);
    found.push_back(std::move(other));
  }
  return found;
}

}  // namespace warptune::tuner
