// Finds accesses to shared memory by different threads of a block that nothing orders: one of them writes, and no
// barrier lies between. It works as ThreadSanitizer and compute-sanitizer's racecheck do. Each access leaves its thread
// and the thread's clock at the bytes it touched, and a later one asks whether it has seen that clock since.
//
// All threads see each other's clocks at a block barrier, so what is older than that is forgotten. Between two of these
// the lanes of a warp see each other's clocks at warp-level functions. Threads of different warps see each other's only
// through an object that is released and acquired (a barrier of the kernel's own).
//
// Rejected: a vector clock of the whole block for each thread, of which 31 of 32 entries would almost always be zero.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tuner/device/backends/host/execution/warp_operations.h"
#include "tuner/device/backends/host/shim/abi.h"

namespace warptune::tuner::host {

// Describes one thread's access to shared memory.
struct SharedAccess {
  std::uint32_t thread = 0;  // linear in its block
  std::uint32_t clock = 0;
  std::uint64_t from = 0;  // the instruction behind it
  warptune_host::Access kind{};
  std::uint8_t bytes_of_word = 0;  // one bit for each byte

  bool writes() const { return kind != warptune_host::kRead && kind != warptune_host::kAtomicRead; }
  bool is_atomic() const { return kind >= warptune_host::kAtomic; }
};

struct Race {
  SharedAccess first, second;  // in the order in which they happened here
  std::uint64_t offset = 0;    // of the first byte, in shared memory
};

class RaceDetector {
 public:
  // Must be called before each block. Offsets are below `shared_bytes`.
  void begin_block(unsigned threads, std::uint64_t shared_bytes);
  // Returns the race with the first earlier access that races with this one, or nothing.
  std::optional<Race> access(unsigned thread, warptune_host::Access kind, std::uint64_t offset, std::uint64_t bytes,
                             std::uint64_t from);
  void block_barrier();
  void warp_barrier(unsigned warp, unsigned lanes);
  void release(unsigned thread, const void* object);
  void acquire(unsigned thread, const void* object);

 private:
  using Clocks = std::vector<std::uint32_t>;  // by thread of the block
  struct Thread {
    std::uint32_t clock = 1;
    std::array<std::uint32_t, kWarpSize> warp{};  // the clocks of its warp's lanes that it has seen
    Clocks others;                                // likewise of other warps' threads; empty: none
  };
  struct Word {
    std::uint64_t phase = 0;  // the phase of the records; those of older phases do not count
    std::vector<SharedAccess> records;
  };

  bool ordered(const SharedAccess& before, unsigned thread) const;
  void keep(Word& word, const SharedAccess& access);
  Clocks seen_by(unsigned thread) const;

  std::vector<Thread> threads_;
  std::vector<Word> words_;
  std::map<const void*, Clocks> released_;
  std::uint64_t phase_ = 0;  // lasts from one block barrier to the next; never the same again
};

}  // namespace warptune::tuner::host
