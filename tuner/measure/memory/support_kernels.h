// Declares Warptune's own kernels, which fill, poison, stage, check and compare memory, and the structs that they
// share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "search/expected_output.h"
#include "tuner/device/compile/compiler.h"
#include "tuner/device/device.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// A stretch of memory beside a buffer that no kernel may touch. The layout is that of support_memory.cu.
struct Guard {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t seed = 0;
  std::uint64_t written = 0;  // whether kernels write the buffer itself
};

// What fills a buffer before a run. The layout is that of support_memory.cu. The kind of a word follows from key and
// round, its bits from all three.
struct Poison {
  std::uint64_t key = 0;    // the key of the buffer
  std::uint64_t round = 0;  // the number of the run: four in a row show each word as each kind
  std::uint64_t noise = 0;  // the run's random number, never the same
};

// One action on a buffer before a run. The layout is that of support_memory.cu. Addresses are multiples of 16.
struct StageJob {
  static constexpr std::uint64_t poison = 0, zero = 1;  // values of `from`
  std::uint64_t to = 0;
  std::uint64_t from = poison;  // or an address to copy from
  std::uint64_t bytes = 0;
  std::uint64_t key = 0;   // the key of the poison
  std::uint64_t lane = 0;  // added to the run's round and noise
};

// Memory that kernels may only read, with room for the sums of its pieces. The layout is that of support_memory.cu.
struct Region {
  static constexpr std::size_t piece_bytes = 256;
  static std::size_t pieces(std::size_t bytes) { return (bytes + piece_bytes - 1) / piece_bytes; }
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sums = 0;  // the address of one 64-bit number for each piece
};

// What a comparison finds, as support_comparison.cu writes it. first() is the index of the first wrong element.
struct ComparisonReport {
  struct Part {
    std::uint64_t mismatches = 0;
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t worst_bits = 0;
    std::uint64_t checksum = 0;
    std::uint64_t unwritten = 0;
    double squares = 0;
    std::uint64_t proof = 0;
    std::uint64_t zeros = 0;
  };
  std::array<Part, 64> parts{};

  std::uint64_t mismatches() const;
  std::uint64_t first() const;      // the elements of several runs are numbered one run after the other
  double worst_error() const;       // largest |got − expected| of finite elements
  double squared_errors() const;    // sum of (got − expected)² over finite elements
  std::uint64_t checksum() const;   // equal for equal outputs, bit for bit, on every device
  std::uint64_t unwritten() const;  // of the mismatches: how many still hold the poison
  std::uint64_t zeros() const;      // of these: how many hold 0, which a kernel may as well have written
  // Returns whether the comparing kernel, which alone knows `secret`, found all of so many elements of so many runs
  // right.
  bool proves(std::uint64_t secret, std::size_t elements, std::size_t runs) const;
};

// What the reference expects of an output, as support_comparison.cu writes it.
struct Survey {
  struct Part {
    std::uint64_t least = 0, most = 0;
    std::uint64_t nan = 0, infinite = 0;
    std::array<std::uint64_t, 3> same = {};
    std::uint64_t unchanged = 0;
    std::uint64_t told = 0;
    std::uint64_t room = 0;
    std::array<double, 3> samples = {};
  };
  std::array<Part, 64> parts{};

  // Returns the result for an output of so many elements, all of which were looked at.
  search::ExpectedOutput result(std::string name, std::size_t elements) const;
};

// The error up to which a result is still right; see templates/MANIFEST.md.
struct AllowedError {
  double absolute = 0, relative = 0, ulp = 0;
};

// One output of one or several runs, and what it should be.
struct ComparedOutput {
  MemorySpan got;  // the first run's output
  ElementType type = ElementType::f32;
  MemorySpan expected;
  ElementType expected_type = ElementType::f64;
  std::size_t elements = 0;  // the elements of one run
  AllowedError allowed;
  std::uint64_t key = 0;     // the key of the output's poison
  std::uint64_t mask = 0;    // the key under which `expected` is hidden (SupportKernels::mask); 0: it is not
  std::size_t runs = 1;      // the number of runs, including the first
  std::uint64_t others = 0;  // the device address at which the address of the second run's output is stored
  std::uint64_t stride = 0;  // how many bytes behind it the address of the next run's output is stored
};

// Returns the type of sums: a double, or a 64-bit integer with or without a sign.
ElementType wide_type(ElementType type);

// Returns the request to compile Warptune's own kernels (support_*.cu) for the types that a template uses.
CompileRequest support_request(const KernelTemplate& kernel);

// Runs Warptune's own kernels (support_*.cu) on a device. They are compiled once for the types that a template uses.
// Every call queues work and waits for nothing. Sizes are in elements; a span may be longer. Throws DeviceError.
class SupportKernels {
 public:
  // Throws std::runtime_error with the compiler's log if this machine cannot compile them.
  SupportKernels(Device& device, Compiler& compiler, const KernelTemplate& kernel);

  Device& device() const { return device_; }

  // Fills elements. The caller has to load what Fill::npy names.
  void fill(MemorySpan to, ElementType type, std::size_t elements, const Fill& fill);
  void convert(MemorySpan from, ElementType from_type, MemorySpan to, ElementType to_type, std::size_t elements);
  // Poison or clear every byte. Addresses are multiples of 4.
  void poison(MemorySpan span, const Poison& poison);
  void clear(MemorySpan span);
  // Reads the span, which only changes the contents of caches.
  void read(MemorySpan span);
  // Does the jobs of a table. Tables are arrays of structs on the device. `most_bytes` is the size of the largest entry
  // and only shapes the launch.
  void stage(std::uint64_t jobs, std::size_t count, std::size_t most_bytes, std::uint64_t round, std::uint64_t noise);
  // Poison the guards of a table, and check them. `first` is an array of a 64-bit number for each guard. It gets the
  // guard's first changed byte, and keeps its value if there is none. In odd phases guards hold the opposite bits.
  void poison_guards(MemorySpan table, std::size_t count, std::size_t most_bytes, std::uint64_t phase);
  void check_guards(MemorySpan table, std::size_t count, std::size_t most_bytes, std::uint64_t phase,
                    std::uint64_t first);
  // Sum and check regions in the same way, by their first changed pieces. One piece in `stride` is looked at; `seed`
  // picks which.
  void sum_regions(MemorySpan table, std::size_t count, std::size_t most_bytes);
  void check_regions(MemorySpan table, std::size_t count, std::size_t most_bytes, std::size_t stride,
                     std::uint64_t seed, std::uint64_t first);
  // Hides whole 8-byte words under a key stream, or shows them again. The key is not 0.
  void mask(MemorySpan span, std::uint64_t key);
  // Compares an output and adds to the ComparisonReport at the address `report`. `poison` is what the first run's
  // output held before it. ComparisonReport::proves explains `secret`.
  void compare(const ComparedOutput& output, const Poison& poison, std::uint64_t secret, std::uint64_t report);
  // Reports as mismatches the elements that still hold the poison in `once` and, if that is other memory, its opposite
  // in `again`.
  void find_unwritten(MemorySpan once, MemorySpan again, ElementType type, std::size_t elements, const Poison& poison,
                      std::uint64_t report);
  // Surveys what is expected and adds to the Survey at the address `report`. `first` is what the buffer begins as, in
  // its own type; null: nothing.
  void survey(MemorySpan expected, ElementType expected_type, MemorySpan first, ElementType type, std::size_t elements,
              const AllowedError& allowed, std::uint64_t report);
  // Writes the sum of all elements, as wide_type(type), and behind it, in 64 bits, how many seem to hold the poison.
  void sum(MemorySpan from, ElementType type, std::size_t elements, const Poison& poison, MemorySpan to);
  static constexpr std::size_t sum_bytes = 16;
  // Adds a checksum to the 64-bit number at the address `sum`. It depends on every byte of the span, and on nothing
  // else.
  void checksum(MemorySpan span, std::uint64_t sum);
  // Inverts every bit of whole 4-byte words.
  void invert(MemorySpan span);
  // Keeps the device busy for some 20 µs without other effects.
  void delay();

 private:
  void launch(const std::string& kernel, std::int64_t blocks, std::int64_t rows, std::span<void* const> arguments);
  void launch_over(const std::string& kernel, std::size_t elements, std::span<void* const> arguments);

  Device& device_;
  std::unique_ptr<Module> module_;
};

}  // namespace warptune::tuner
