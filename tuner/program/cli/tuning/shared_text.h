// Holds a text that a process and its forks share: the one writes, the other reads it, also after the writer's crash.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace warptune::tuner::cli {

class SharedText {
 public:
  // Throws std::system_error.
  SharedText() {
    void* const shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "cannot share memory");
    text_ = static_cast<char*>(shared);
  }
  ~SharedText() { munmap(text_, bytes); }
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;

  // Sets the text, and cuts it where it is too long.
  void set(const std::string& text) {
    const std::size_t length = std::min(text.size(), bytes - 1);
    std::memcpy(text_, text.data(), length);
    text_[length] = '\0';
  }
  std::string get() const { return text_; }

 private:
  static constexpr std::size_t bytes = 4096;  // zeros at first, and the last one stays
  char* text_;
};

}  // namespace warptune::tuner::cli
