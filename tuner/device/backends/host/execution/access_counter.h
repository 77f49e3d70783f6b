// Counts what a GPU's warps would make of the accesses and basic blocks of a block's threads, which run one after the
// other here. Accesses of a warp's lanes belong together if they come from the same instruction, called from the same
// place, and it is each lane's n-th time since the last barrier: lanes that part at a branch are taken to be together
// again behind it. Threads' own counts need no such assumption and are exact.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/device/access_report.h"
#include "tuner/device/backends/host/execution/warp_operations.h"
#include "tuner/device/backends/host/shim/abi.h"

namespace warptune::tuner::host {

enum class Space : unsigned char { global, shared, variable };  // variable: a variable of the module

class AccessCounter {
 public:
  void begin_block(unsigned threads);
  void end_block();

  // `buffer` is the number of a named buffer, for global memory.
  void access(unsigned thread, Space space, std::size_t buffer, warptune_host::Access kind, std::uint64_t address,
              std::uint64_t bytes, std::uint64_t from);
  void enter_function(unsigned thread, std::uint64_t from);
  void leave_function(unsigned thread);
  void basic_block(unsigned thread, std::uint64_t from);
  void block_barrier();
  void warp_barrier(unsigned warp, unsigned lanes);

  // Returns the counts so far, without those that depend on basic blocks' places.
  const AccessCounts& counts() const { return counts_; }
  const std::vector<AccessCounts::OfBuffer>& buffers() const { return buffers_; }
  // Counts how often a basic block was executed. The block is known by the instruction behind its beginning.
  struct Steps {
    std::int64_t warps = 0, lanes = 0, divergent = 0;
  };
  const std::unordered_map<std::uint64_t, Steps>& steps() const { return steps_; }

 private:
  struct Place {  // an instruction and the calls that led to it
    std::uint64_t from = 0, calls = 0;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const { return place.from * 0x9e3779b97f4a7c15u ^ place.calls; }
  };
  struct Request {  // of one warp
    Space space{};
    warptune_host::Access kind{};
    std::uint64_t bytes = 0;
    unsigned lanes = 0;
    std::array<std::uint64_t, kWarpSize> addresses{};
  };
  struct Step {
    unsigned lanes = 0;
    std::uint64_t next = 0;  // the basic block after this one, of the first lane that went on
    bool divergent = false;
  };
  template <class T>
  struct Site {
    std::vector<T> times;
    std::array<std::uint32_t, kWarpSize> count{};  // how often each lane has been here
    T& next(unsigned lane) {
      const std::uint32_t time = count[lane]++;
      if (time >= times.size()) times.resize(time + 1);
      return times[time];
    }
  };
  struct Warp {
    std::unordered_map<Place, Site<Request>, PlaceHash> requests;
    std::unordered_map<Place, Site<Step>, PlaceHash> steps;
  };
  struct Thread {
    std::vector<std::uint64_t> calls;  // each is a hash of all calls up to it
    Site<Step>* site = nullptr;        // of its latest basic block
    std::uint32_t time = 0;
  };

  std::uint64_t calls_of(unsigned thread) const;
  void flush(Warp& warp);
  void settle(const Request& request);

  std::vector<Warp> warps_;
  std::vector<Thread> threads_;
  AccessCounts counts_;
  std::vector<AccessCounts::OfBuffer> buffers_;
  std::unordered_map<std::uint64_t, Steps> steps_;
};

}  // namespace warptune::tuner::host
