// Manages the memory that kernels write: outputs, in-place arguments, temporaries. Short runs are timed several at
// once, and each of these needs memory that no run has seen, for a kernel could find its own work done. So there are
// several copies of each buffer, one for each lane.
//
// Rejected: putting the memory back between runs that are timed together (its time would be in theirs), and timing
// short runs one by one (an event costs more than they).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/measure/memory/guarded_buffer.h"

namespace warptune::tuner {

class WritableMemory {
 public:
  // Says how a buffer is prepared before a run.
  struct Before {
    std::vector<std::uint64_t> copy_from;  // addresses by set of data; if there are none, then
    bool zero = false;                     // the buffer is cleared if true, else poisoned
  };

  WritableMemory(Device& device, SupportKernels& kernels, std::uint64_t secret)
      : device_(device), kernels_(kernels), secret_(secret) {}

  // Adds a buffer to every lane, or changes its size. Returns true if memory has moved: tables are stale until
  // `prepare`.
  bool put(const std::string& name, std::size_t bytes, Before before);
  // Makes more lanes, up to `wanted` or the limit on memory. Returns true if there are more than before.
  bool grow(std::size_t wanted);
  std::size_t count() const { return count_; }
  // Returns how many lanes there could be with the present buffers.
  std::size_t most() const;

  // Throws std::out_of_range.
  MemorySpan span(const std::string& name, std::size_t lane) const { return buffer(name, lane).span(); }
  const GuardedBuffer& buffer(const std::string& name, std::size_t lane) const {
    return *slots_.at(name).buffers.at(lane);
  }
  bool contains(const std::string& name) const { return slots_.contains(name); }
  std::uint64_t key(const std::string& name) const { return slots_.at(name).key; }
  // `listed_at` returns the device address at which the address of a lane's buffer is stored. That of the next lane's
  // buffer is stored `list_stride` bytes behind it.
  std::uint64_t listed_at(const std::string& name, std::size_t lane) const;
  std::uint64_t list_stride() const { return slots_.size() * sizeof(StageJob); }

  struct Guarded {
    std::string name;
    const GuardedBuffer* buffer;
  };
  std::vector<Guarded> guarded() const;

  // Makes the tables for `stage`. Call it after `put` and `grow`, and before `stage`. `sets` is the number of sets of
  // data.
  void prepare(std::size_t sets);
  // Queues what comes before a run in each of the first `lanes` lanes.
  void stage(std::size_t lanes, std::size_t set, std::uint64_t round, std::uint64_t noise);

 private:
  struct Slot {
    std::size_t bytes = 0;
    std::uint64_t key = 0;
    Before before;
    std::vector<std::unique_ptr<GuardedBuffer>> buffers;  // by lane
  };
  StageJob job(const Slot& slot, std::size_t lane, std::size_t set) const;
  bool fit(Slot& slot, std::size_t lane);

  Device& device_;
  SupportKernels& kernels_;
  std::uint64_t secret_;
  std::map<std::string, Slot> slots_;
  std::size_t count_ = 1;
  std::size_t most_bytes_ = 0;                   // the size of the largest buffer
  std::vector<std::unique_ptr<Memory>> tables_;  // the tables of jobs by set, each lane after lane
};

}  // namespace warptune::tuner
