// Owns open files, and makes files that exist in memory only.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace warptune::tuner {

// A FileDescriptor is an open file, which is closed on destruction.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  // Returns the descriptor and leaves it open; the caller has to close it.
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// Returns a nameless file in memory with these bytes, positioned at its beginning. Nobody can change it, because
// kernels find it among their process's open files. Throws std::system_error.
inline FileDescriptor memory_file(const char* name, const void* data, std::size_t bytes) {
  FileDescriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  std::size_t done = 0;
  while (file.get() >= 0 && done < bytes) {
    const ssize_t n = pwrite(file.get(), static_cast<const char*>(data) + done, bytes - done, static_cast<off_t>(done));
    if (n < 0 && errno != EINTR) break;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  if (file.get() < 0 || done < bytes) throw std::system_error(errno, std::generic_category(), "memfd_create");
  fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return file;
}

}  // namespace warptune::tuner
