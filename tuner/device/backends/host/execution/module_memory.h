// Manages the memory of a loaded module: its variables, and its shared memory. Shared memory is the module's
// thread-local storage, of which each OS thread has a block of its own. What a launch did not ask for is noise, or
// inaccessible.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/device.h"
#include "tuner/system/elf.h"

namespace warptune::tuner::host {

struct LoadedImage {
  MemorySpan whole;                  // code and variables
  std::vector<MemorySpan> writable;  // pages that stay writable once the library is loaded
  MemorySpan thread_block;           // the calling thread's thread-local storage; where there is any
};

// Returns the image of the library that holds `address`.
LoadedImage image_of(const void* address);

// Returns all that stays writable, in pieces that belong to one variable each, or to none. What only assembler knows of
// has no name, and what lies between two variables has none either.
std::vector<std::pair<std::string, MemorySpan>> writable_pieces(const LoadedImage& image,
                                                                const std::vector<ElfSymbol>& symbols);

// Keeps the pages at the end of one thread's block inaccessible. They lie in memory of the C library's, which wants
// them back when the module ends or the thread does. It is thread-safe.
class Fence {
 public:
  explicit Fence(MemorySpan block);
  // Moves the fence's beginning to the first whole page at or behind `address`. Returns where the fence then begins, or
  // the block's end if no page is in it. It stays where it is if the system refuses.
  std::uint64_t move(std::uint64_t address);
  // Removes the fence for good.
  void lift();
  bool lifted() const { return lifted_; }
  std::uint64_t block() const { return block_.address; }

 private:
  std::mutex mutex_;
  MemorySpan block_;
  std::uint64_t begin_, end_;
  std::atomic<bool> lifted_ = false;
};

// Says what a module has in each block, as offsets.
class SharedLayout {
 public:
  // `context` is Warptune's own variable there, and `set_aside` is the number of bytes for `extern __shared__` arrays
  // at the end. Nothing is known of a module without symbols, and nothing is filled.
  SharedLayout(const LoadedImage& image, const std::vector<ElfSymbol>& symbols, MemorySpan context,
               std::uint64_t set_aside);
  ~SharedLayout();
  SharedLayout(const SharedLayout&) = delete;
  SharedLayout& operator=(const SharedLayout&) = delete;

  struct Variable {
    std::string name;  // as in the source
    MemorySpan span;   // 0 bytes: an `extern __shared__` array
  };
  const std::vector<Variable>& variables() const { return variables_; }
  std::span<const MemorySpan> own() const { return own_; }    // Warptune's variable, and the compiler's
  std::span<const MemorySpan> gaps() const { return gaps_; }  // between all these
  std::uint64_t dynamic() const { return dynamic_; }          // where `extern __shared__` arrays begin
  std::uint64_t block(std::uint64_t context) const { return context - own_.front().address; }

  // Returns the fence of the calling thread, whose block it is.
  Fence& fence(std::uint64_t block) const;

 private:
  void find_gaps();

  std::uint64_t bytes_, dynamic_;
  std::vector<Variable> variables_;
  std::vector<MemorySpan> own_, gaps_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<Fence>> fences_;
};

// Fills and checks the shared memory of one launch on one OS thread.
class SharedMemory {
 public:
  // Fills what belongs to no variable. `noise` must outlive it.
  SharedMemory(const SharedLayout& layout, std::uint64_t context, std::int64_t dynamic_bytes,
               std::span<const std::byte> noise, std::uint64_t seed);
  // Fills the variables before a block runs. Each block finds another part of the noise, so that what one leaves is not
  // what the next finds.
  void fill(std::int64_t block) const;
  // Returns whether something has been written where no shared variable is.
  bool overrun() const;

 private:
  template <class Visit>
  bool each_piece(MemorySpan span, std::uint64_t at, Visit visit) const;

  std::span<const std::byte> noise_;
  std::uint64_t seed_;
  std::vector<MemorySpan> variables_, gaps_;
};

}  // namespace warptune::tuner::host
