// Makes files that exist in memory only.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "tuner/system/file_descriptor.h"

namespace warptune::tuner::host {

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

}  // namespace warptune::tuner::host
