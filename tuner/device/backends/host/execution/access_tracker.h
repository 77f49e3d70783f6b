// Takes what a tracked module tells of the block that a worker runs. It sorts the addresses into memories, and hands
// the accesses on to the race detector and the counter. There is one for each worker; what all of them found is put
// together after a launch.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tuner/device/access_report.h"
#include "tuner/device/backends/host/execution/access_counter.h"
#include "tuner/device/backends/host/execution/race_detector.h"
#include "tuner/device/device.h"

namespace warptune::tuner::host {

// Says where a module's memory lies for the calling OS thread.
struct ModulePlaces {
  struct Variable {
    std::string name;
    MemorySpan span;
  };
  MemorySpan image;                  // code and variables
  MemorySpan block;                  // all of its thread-local storage: shared memory, and what is not the kernel's
  std::vector<Variable> shared;      // with the launch's bytes of dynamic shared memory
  std::vector<MemorySpan> private_;  // in `block`, but not the kernel's
};

class AccessTracker {
 public:
  // Makes the tracker of one launch. The log must outlive it.
  AccessTracker(const AccessLog& log, ModulePlaces places);

  void begin_block(const warptune_host::Index3& block, const warptune_host::Index3& block_size);
  // Says why the launch has to end if the access is outside of all that the kernel may touch. The text is empty if it
  // is not.
  std::string access(unsigned thread, warptune_host::Access kind, std::uint64_t address, std::uint64_t bytes,
                     std::uint64_t from);
  void step(unsigned thread, warptune_host::Step kind, std::uint64_t what);
  void block_barrier();
  void warp_barrier(unsigned warp, unsigned lanes);
  void end_block();

  // Describes a hazard that was seen in the launch so far. The places of instructions are offsets in the module's
  // image.
  struct Hazard {
    Race race;
    warptune_host::Index3 block, block_size;
    std::int64_t times = 0;
  };
  using HazardKey = std::tuple<std::uint64_t, std::uint64_t, bool, bool>;
  const std::map<HazardKey, Hazard>& hazards() const { return hazards_; }
  const AccessCounter& counter() const { return counter_; }
  AccessCounts counts() const;                                   // all but steps
  std::optional<std::uint64_t> fault() const { return fault_; }  // the instruction behind the access that ended it
  std::set<std::uint64_t> instructions() const;
  std::size_t shared_variables() const { return places_.shared.size(); }
  // Returns the place in shared memory as the source names it: "As + 16 bytes".
  std::string shared_name(std::uint64_t offset) const;

 private:
  struct Rewrite {  // a write over another thread's value: harmless if it is the same value
    Race race;
    std::uint64_t address = 0;
    std::vector<unsigned char> before;
  };
  void shared_access(unsigned thread, warptune_host::Access kind, std::uint64_t address, std::uint64_t bytes,
                     std::uint64_t from);
  void settle_rewrite();
  void note(const Race& race);
  const AccessBuffer* buffer_at(std::uint64_t address, std::uint64_t bytes) const;
  std::string out_of_bounds(unsigned thread, warptune_host::Access kind, std::uint64_t address, std::uint64_t bytes,
                            std::uint64_t from);
  std::string nearest(std::uint64_t address, std::uint64_t bytes) const;

  const AccessLog& log_;
  std::vector<AccessBuffer> buffers_;  // sorted by address
  ModulePlaces places_;
  warptune_host::Index3 block_{}, block_size_{};
  RaceDetector races_;
  AccessCounter counter_;
  std::map<HazardKey, Hazard> hazards_;
  std::optional<Rewrite> rewrite_;
  std::optional<std::uint64_t> fault_;
};

std::string text_of_thread(unsigned linear, const warptune_host::Index3& block_size);
std::string text_of(const warptune_host::Index3& index);

// Adds the launch's counts and findings to the log. `library` is the module's machine code. Returns the line of
// `instruction`; empty for 0, or if it is not known.
std::string report(AccessLog& log, LaunchCounts launch, std::span<const std::byte> library,
                   const std::vector<const AccessTracker*>& trackers, std::uint64_t instruction);

}  // namespace warptune::tuner::host
