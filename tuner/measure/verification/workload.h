// Declares the data of one problem on one device: inputs, the reference's outputs, and the memory that kernels write.
// It puts all of it into the state of a first run, and checks what a run left. README.md says what is guaranteed, and
// why.
#pragma once

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/error.h"
#include "search/random.h"
#include "tuner/device/backend.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/plan.h"
#include "tuner/measure/memory/guarded_buffer.h"
#include "tuner/measure/memory/writable_memory.h"
#include "tuner/measure/verification/host_function.h"
#include "tuner/measure/verification/inspection.h"

namespace warptune::tuner {

// Thrown if the problem itself cannot be set up: it is too large for the memory, or its reference does not compile,
// crashes, or leaves an element unwritten. No configuration could ever be measured, so the error ends the session
// before it begins.
using WorkloadError = search::ErrorOf<search::ErrorKind::workload>;

// Returns a seed that kernels cannot know.
std::uint64_t unknown_seed();

// Merges what two checks found of one configuration's error: the larger of each figure, since inputs differ.
void take_larger(std::optional<search::OutputError>& error, const std::optional<search::OutputError>& other);

class Workload {
 public:
  // Allocates and fills everything, and runs the reference. What the reference makes of the inputs may be too little to
  // judge by: see expected_outputs.h. `constants` are sizes and device limits. If `verify` is false, there is no
  // reference. Poison, guards and the choice of data follow from `secret`. `cache` is for the template's functions.
  // Throws WorkloadError. The template, device and compiler must outlive the workload.
  Workload(const KernelTemplate& kernel, const search::NamedValues& constants, Device& device, Compiler& compiler,
           const BackendOptions& options, bool verify, const CacheOptions& cache = {},
           std::uint64_t secret = unknown_seed());

  // Returns the memory of an argument, or of a temporary of the latest plan. Throws std::out_of_range for a scalar or
  // unknown name.
  MemorySpan span(const std::string& name, std::size_t lane = 0) const;
  // Returns the host's memory of an argument that lies on the host. It has memory on the device, too, in which it is
  // filled, poisoned and inspected as any other.
  std::span<std::byte> host_span(const std::string& name) const;
  // Returns what a kernel is given: where it reaches an argument on the host, or the same as `span`.
  MemorySpan kernel_span(const std::string& name, std::size_t lane) const;

  // Prepares for a configuration: room for its temporaries, its kind of memory on the host, and whether its outputs may
  // differ between runs. Memory is kept from one configuration to the next, because allocating and freeing it each time
  // would take longer than many kernels.
  void make_room(const Plan& plan);
  // Makes up to `wanted` lanes of the memory that runs write, and returns how many of these there are.
  std::size_t make_lanes(std::size_t wanted);
  std::size_t most_lanes() const { return has_host_memory_ ? 1 : writable_.most(); }

  // Says how a run began.
  struct Start {
    std::size_t set = 0;      // the set of data
    std::uint64_t round = 0;  // the kind of poison
    std::uint64_t noise = 0;
  };
  // Returns the number of sets of inputs. There are two if another set can be made and the memory holds it.
  std::size_t sets() const { return sets_; }
  // Draws the second set anew, from a seed that nobody knew before, and runs the reference on it; the inputs then hold
  // this set. Call it where an inspection has found nothing. Returns false if there is no second set, or if the
  // reference refuses what was drawn: then the sets are as they were set up. Throws WorkloadError and DeviceError as
  // `heal` does.
  bool redraw();
  // Returns the seconds that `redraw` is expected to take: what the second set took last.
  double redraw_s() const { return redraw_s_; }
  // Returns whether putting all inputs back costs little beside a run, so that it can be done before each.
  bool inputs_are_small() const { return input_bytes_ <= small_bytes; }
  // Returns whether comparing all outputs costs little beside a run.
  bool outputs_are_small() const { return compared_bytes_ <= small_bytes / 4; }
  // Queues what makes runs in the first `lanes` lanes first runs: inputs of a set, in-place arguments at their first
  // values, temporaries cleared or poisoned, outputs poisoned.
  void stage(const Start& start, std::size_t lanes);
  // Returns whether comparing all outputs of so many lanes costs little beside the look that an inspection takes.
  bool outputs_are_tiny(std::size_t lanes) const { return compared_bytes_ * lanes <= tiny_bytes; }
  // Queues comparing what runs left in `lanes` lanes, from `lane` on, with the reference's outputs. Once `can_check` is
  // false, no more checks are possible until `inspect`.
  void check(const Start& start, std::size_t lane, std::size_t lanes = 1);
  bool can_check() const { return verifies_ && inspection_.checks() < Inspection::most_checks; }
  // Returns what is expected of each output that is compared, in the arguments' order; empty if nothing is verified.
  const std::vector<search::ExpectedOutput>& expected_outputs() const { return expected_outputs_; }
  // Writes more than the L2 cache holds, which empties it of other data.
  void flush_cache();
  // Does the same and reads the memory. Then nothing is left in the cache that would be written back during a later run
  // and count as its traffic.
  void settle_cache();

  struct Judgement {
    std::string fault;      // empty: all right
    bool mismatch = false;  // the fault is an output that differs, and not a write elsewhere
    std::size_t check = 0;  // the first check that found it
    // The error of floating-point outputs, at its largest in any check; none if there are no such outputs.
    std::optional<search::OutputError> error;
    // Checksums by check, of the outputs that must have the same bits in every run with the same data.
    std::vector<std::vector<std::uint64_t>> checksums;
  };
  // Returns the hashes of the data and the outputs of a run with the first set of data, from its checksums in a
  // judgement. The outputs' hash is empty if the present plan lets one of them vary. Returns nothing if nothing is
  // verified.
  std::optional<search::OutputBits> bits(const std::vector<std::uint64_t>& checksums) const;
  // Waits for all queued work, and judges it. The fault is the first buffer written outside its bounds, the first input
  // or reference that was written, or the first output that differs from the reference's: "C[3,17] (element 791):
  // expected 1.5, got nan; 4096 of 1048576 elements differ". `thorough` looks at all of the inputs, and otherwise at a
  // random part of large ones.
  Judgement inspect(bool thorough);
  // After a fault, returns whether something that no kernel may write had changed, and puts it right. An earlier
  // configuration may have changed it. Throws WorkloadError.
  bool heal();

  // Returns about how many bytes of the device's memory the workload holds.
  std::size_t held_bytes() const;

  SupportKernels& kernels() { return kernels_; }
  Device& device() { return device_; }
  search::Rng& rng() { return rng_; }

 private:
  static constexpr std::size_t small_bytes = std::size_t{32} << 20;
  static constexpr std::size_t tiny_bytes = std::size_t{1} << 20;
  static constexpr std::uint64_t first_draw = 0x9e3779b97f4a7c15;  // equal sessions begin with equal sets
  static constexpr std::size_t hash_digits = 16;                   // an output's checksum has as many digits

  struct Data {
    PlannedBuffer plan;
    std::unique_ptr<GuardedBuffer> input;                  // for inputs; what kernels write is in lanes
    std::array<std::unique_ptr<Memory>, 2> source = {};    // by set: what inputs and in-place arguments begin as
    std::array<std::unique_ptr<Memory>, 2> expected = {};  // by set: expected outputs, in reference_type, masked
    std::array<std::uint64_t, 2> mask = {};                // by set: the key of the mask; 0: not masked
    AllowedError allowed = {};
    std::size_t counts = 0;  // how many elements of an output are compared
    // For an output whose sum is compared: the expected sum by set, masked, and the sum of the latest checked run.
    std::array<std::unique_ptr<Memory>, 2> expected_sum = {};
    std::unique_ptr<Memory> sum = {};
    HostSide host = {};             // for arguments on the host
    bool nondeterministic = false;  // whether its runs may differ

    const Argument& argument() const { return *plan.argument; }
    bool on_host() const { return plan.argument->on_host; }
    std::size_t compared() const { return plan.argument->compares_sum ? 1 : counts; }
  };

  // One check, of runs in so many lanes from the first one on.
  struct Checked {
    Start start;
    std::size_t lane = 0, lanes = 1;
  };

  static std::size_t whole_quads(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

  // The following functions are in workload_setup.cpp.
  void add(const Argument& argument);
  void choose_sets();
  void set_up();
  void fill_set(std::size_t set);
  void make_set(std::size_t set);
  Fill drawn(Fill fill, std::size_t set) const;
  void fill(const Data& data, std::size_t set);
  void fill_on_host(std::size_t set, std::vector<std::string>& changed);
  void keep_sources(std::size_t set);
  void protect();
  void hash_data();

  // The following functions are in workload_reference.cpp.
  void compute_expected(std::size_t set);
  void prepare_expected(std::size_t set, const Poison& poison);
  void reference(std::size_t set);
  std::string first_unwritten(std::size_t set, const std::map<std::string, MemorySpan>& once, const Poison& poison);
  void require_written(std::size_t set, const Poison& poison);
  void add_sums(std::size_t set);
  void mask(std::size_t set);
  search::ExpectedOutput surveyed(const Data& data, std::size_t set);
  void survey(std::size_t set);
  void require_a_number(const Data& data, const search::ExpectedOutput& expected) const;

  const GuardedBuffer& twin(const Data& data) const;
  void watch();
  void put_inputs(std::size_t set);
  std::string damage(const std::vector<std::uint64_t>& bytes) const;
  void judge(const Inspection::Findings& findings, Judgement& judgement);
  std::string describe(const Data& data, const Inspection::Comparison& comparison, std::size_t check);
  std::string describe_sum(const Data& data, std::size_t check);
  std::string expected_text(const Data& data, std::size_t set, std::size_t element);
  bool is_at_hand(std::size_t check) const { return check + 1 == checked_.size() && !staged_since_check_; }
  std::string element_name(const Data& data, std::uint64_t element) const;
  std::vector<ComparedOutput> compared(const Checked& checked) const;

  const KernelTemplate& kernel_;
  search::NamedValues constants_;
  Device& device_;
  Compiler& compiler_;
  BackendOptions options_;
  bool verifies_;
  std::uint64_t secret_;
  search::Rng rng_;
  HostFunctions functions_;
  std::optional<MachineCode> reference_code_;
  SupportKernels kernels_;
  ProtectedMemory protected_;
  Inspection inspection_;
  WritableMemory writable_;
  std::map<std::string, std::unique_ptr<Data>> data_;  // a map for stable, sorted iteration
  std::size_t sets_ = 1;
  std::uint64_t draw_ = first_draw;  // what the second set's numbers follow from, beside the seeds
  double redraw_s_ = 0;
  bool keeps_sources_ = false;  // whether inputs have copies to be restored from
  bool has_host_memory_ = false;
  std::size_t set_ = 0;  // the set that the inputs hold
  std::size_t input_bytes_ = 0, compared_bytes_ = 0;
  std::vector<search::ExpectedOutput> expected_outputs_;
  std::string data_hash_;               // the hash of the first set; see search::OutputBits
  std::vector<Checked> checked_;        // since the last inspection
  bool staged_since_check_ = false;     // then what the last check saw is gone
  std::unique_ptr<Memory> input_jobs_;  // the jobs that put the inputs back, by set
  std::size_t inputs_ = 0, most_input_bytes_ = 0;
  std::unique_ptr<Memory> flushed_;  // allocated when it is first needed
};

// Returns "saxpy/template.toml: …", or the bare message for a template that a program gave without a file.
inline std::string fault_in_manifest(const KernelTemplate& kernel, const std::string& what) {
  const std::string file = kernel.shown(kernel.manifest).string();
  return file.empty() ? what : fmt::format("{}: {}", file, what);
}

// Returns the message of a trial whose launch cannot be computed.
inline std::string launch_fault(const KernelTemplate& kernel, const std::string& what) {
  return fault_in_manifest(kernel, "its launch cannot be computed: " + what);
}

}  // namespace warptune::tuner
