// Keeps machine code in memory.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>

namespace warptune::tuner::workers {

// Keeps machine code by name, up to a limit of bytes. The oldest is dropped first, since the cache on disk has it. The
// latest always stays. The class is for one thread.
class KeptCode {
 public:
  explicit KeptCode(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  void keep(const std::string& name, const std::string& code) {
    if (!codes_.emplace(name, code).second) return;
    by_age_.push_back(name);
    bytes_ += code.size();
    while (bytes_ > most_bytes_ && by_age_.size() > 1) forget_oldest();
  }

  // Returns the code; null if there is none. The pointer is valid until the next `keep`.
  const std::string* find(const std::string& name) const {
    const auto found = codes_.find(name);
    return found == codes_.end() ? nullptr : &found->second;
  }

 private:
  void forget_oldest() {
    const auto oldest = codes_.find(by_age_.front());
    bytes_ -= oldest->second.size();
    codes_.erase(oldest);
    by_age_.pop_front();
  }

  std::size_t most_bytes_, bytes_ = 0;
  std::unordered_map<std::string, std::string> codes_;
  std::deque<std::string> by_age_;
};

}  // namespace warptune::tuner::workers
