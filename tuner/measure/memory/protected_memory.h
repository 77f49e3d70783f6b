// Watches memory that no kernel may write though it has the addresses or can guess them: inputs, their copies, and what
// the reference computed. Each piece of 256 bytes has a sum, so that a part can be looked at and a change be located.
//
// Rejected: comparing with copies (twice the traffic, and the copies need a guard of their own), and protecting pages
// (a device has no such call for memory that its kernels are to read).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tuner/device/device.h"
#include "tuner/measure/memory/support_kernels.h"

namespace warptune::tuner {

class ProtectedMemory {
 public:
  struct Content {
    std::string what;  // "x, an input"
    MemorySpan span;
  };
  // Memory that holds the same bytes as a content. Which content that is depends on the set of data in use.
  struct Copy {
    std::string what;
    MemorySpan span;
    std::array<std::size_t, 2> content{};  // by set: the index of the content
  };

  ProtectedMemory(Device& device, SupportKernels& kernels) : device_(device), kernels_(kernels) {}

  // Protects these contents and copies from now on. Queues summing the contents, which must be correct at that time.
  void protect(std::vector<Content> contents, std::vector<Copy> copies);

  // Returns how many numbers `queue` fills.
  std::size_t size() const { return contents_.size() + copies_.size(); }
  // Queues a check. `first` is the address of `size()` numbers that keep their value where nothing has changed. The
  // check covers all copies of set `set` if `thorough`, and a random part of large memory otherwise.
  void queue(std::uint64_t first, int set, bool thorough, std::uint64_t seed);
  // Queues the same check of every byte.
  void queue_all(std::uint64_t first, int set);
  // Says in words what `queue` found; empty if nothing. `intact` is the value of the numbers where nothing has changed.
  std::string describe(std::span<const std::uint64_t> first, std::uint64_t intact) const;
  // Returns whether only copies have changed.
  bool only_copies(std::span<const std::uint64_t> first, std::uint64_t intact) const;

 private:
  struct Table {
    std::unique_ptr<Memory> memory;
    std::size_t count = 0, bytes = 0, most_bytes = 0;
  };
  Table table(const std::vector<Region>& regions);
  void look(const Table& table, std::size_t budget, std::uint64_t seed, std::uint64_t first);

  Device& device_;
  SupportKernels& kernels_;
  std::vector<Content> contents_;
  std::vector<Copy> copies_;
  std::vector<std::unique_ptr<Memory>> sums_;
  Table of_contents_;
  std::array<Table, 2> of_copies_;
};

}  // namespace warptune::tuner
