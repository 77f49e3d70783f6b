// The data of one problem on one device: inputs, the reference's outputs, the memory that kernels write, and what puts
// all of it into the state of a first run and checks what a run left. What holds, and why, is in README.md.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/error.h"
#include "search/random.h"
#include "tuner/device/backend.h"
#include "tuner/kernel/plan.h"
#include "tuner/measure/memory/guarded_buffer.h"
#include "tuner/measure/memory/host_side.h"
#include "tuner/measure/memory/lanes.h"
#include "tuner/measure/verification/host_function.h"
#include "tuner/measure/verification/inspection.h"

namespace warptune::tuner {

// The problem itself cannot be set up (too large for the memory, a reference that does not compile or crashes, or
// leaves an element unwritten): no configuration could ever be measured, so it ends the session before it begins.
using WorkloadError = search::ErrorOf<search::ErrorKind::workload>;

// A seed that kernels cannot know.
std::uint64_t unknown_seed();

// What two checks found of one configuration's error: the larger of each figure, for inputs differ.
void take_larger(std::optional<search::OutputError>& error, const std::optional<search::OutputError>& other);

class Workload {
 public:
  // Allocates and fills everything, and runs the reference. What it makes of the inputs may be too little to judge by:
  // see expected_outputs.h. `constants` are sizes and device limits. With `verify`
  // false there is no reference. `secret` is what poison, guards and the choice of data follow from. Throws
  // WorkloadError. The template, device and compiler must outlive the workload. `cache` is for the template's
  // functions.
  Workload(const KernelTemplate& kernel, const search::NamedValues& constants, Device& device, Compiler& compiler,
           const BackendOptions& options, bool verify, const CacheOptions& cache = {},
           std::uint64_t secret = unknown_seed());

  // The memory of an argument, or of a temporary of the latest plan. Throws std::out_of_range for a scalar or unknown
  // name.
  MemorySpan span(const std::string& name, std::size_t lane = 0) const;
  // The same of an argument on the host. It has memory on the device too, where it is filled, poisoned and inspected as
  // any other.
  std::span<std::byte> host_span(const std::string& name) const;
  // What a kernel is given: where it reaches an argument on the host, or the same as `span`.
  MemorySpan kernel_span(const std::string& name, std::size_t lane) const;

  // Makes ready for a configuration: room for its temporaries, its kind of memory on the host, and whether its outputs
  // may differ. Memory is kept from one configuration to the next: to allocate and free it each time would take
  // longer than many kernels.
  void make_room(const Plan& plan);
  // Of what runs write there are several; how many, of up to `wanted`.
  std::size_t make_lanes(std::size_t wanted);
  std::size_t most_lanes() const { return has_host_memory_ ? 1 : lanes_.most(); }

  // How a run began.
  struct Start {
    std::size_t set = 0;      // of data
    std::uint64_t round = 0;  // the kind of poison
    std::uint64_t noise = 0;
  };
  // There are two sets of inputs where there is a way to make another one and the memory for it.
  std::size_t sets() const { return sets_; }
  // Draws the second set anew, from a seed that nobody knew before, with what the reference makes of it; the inputs
  // hold it then. Call where an inspection has found nothing. False where there is no second set, or where the
  // reference refuses what was drawn: then the sets are as they were set up. Throws WorkloadError and DeviceError as
  // `heal` does.
  bool redraw();
  // Seconds that this is expected to take: what the second set took last.
  double redraw_s() const { return redraw_s_; }
  // Whether putting all inputs back costs little beside a run, so that it can be done before each.
  bool inputs_are_small() const { return input_bytes_ <= small_bytes; }
  // Whether comparing all outputs does.
  bool outputs_are_small() const { return compared_bytes_ <= small_bytes / 4; }
  // Queue what makes runs in the first `lanes` lanes first runs: inputs of a set, in-place arguments at their first
  // values, temporaries cleared or poisoned, outputs poisoned.
  void stage(const Start& start, std::size_t lanes);
  // Whether comparing all outputs of so many lanes costs little beside the look that an inspection takes.
  bool outputs_are_tiny(std::size_t lanes) const { return compared_bytes_ * lanes <= tiny_bytes; }
  // Queues comparing what runs left in `lanes` lanes from `lane` on with the reference's; no more once `can_check` is
  // false, until `inspect`.
  void check(const Start& start, std::size_t lane, std::size_t lanes = 1);
  bool can_check() const { return verifies_ && inspection_.checks() < Inspection::most_checks; }
  // What is expected of each output that is compared, in the arguments' order; empty where nothing is verified.
  const std::vector<search::ExpectedOutput>& expected_outputs() const { return expected_outputs_; }
  // Writes more than the L2 cache holds.
  void flush_cache();
  // The same, and reads it: then nothing is left in the cache that would be written back later, on another's account.
  void settle_cache();

  struct Judgement {
    std::string fault;      // empty: all right
    bool mismatch = false;  // the fault is an output that differs, and no writing elsewhere
    std::size_t check = 0;  // the first that it was found by
    // Of floating-point outputs, at its largest in any check; none if there are no such outputs.
    std::optional<search::OutputError> error;
    // By check: of the outputs that must come out the same bit for bit in every run with the same data.
    std::vector<std::vector<std::uint64_t>> checksums;
  };
  // What a run with the first set of data left, by its checksums in a judgement; without outputs where the plan at hand
  // lets one of them vary. Nothing where nothing is verified.
  std::optional<search::OutputBits> bits(const std::vector<std::uint64_t>& checksums) const;
  // Waits for all queued work. The first buffer written outside its bounds, the first input or reference that was
  // written, or the first output that differs from the reference's: "C[3,17] (element 791): expected 1.5, got nan; 4096
  // of 1048576 elements differ". `thorough` looks at all of the inputs, and not at a random part of large ones.
  Judgement inspect(bool thorough);
  // After a fault: whether something that no kernel may write had changed, which might be an earlier one's doing. It is
  // put right. Throws WorkloadError.
  bool heal();

  // Of the device's memory, about.
  std::size_t held_bytes() const;

  SupportKernels& kernels() { return kernels_; }
  Device& device() { return device_; }
  search::Rng& rng() { return rng_; }

 private:
  static constexpr std::size_t small_bytes = std::size_t{32} << 20;
  static constexpr std::size_t tiny_bytes = std::size_t{1} << 20;
  static constexpr std::uint64_t first_draw = 0x9e3779b97f4a7c15;  // equal sessions begin with equal sets
  static constexpr std::size_t hash_digits = 16;                   // an output's checksum has no more

  struct Data {
    PlannedBuffer plan;
    std::unique_ptr<GuardedBuffer> input;                  // of inputs; what kernels write is in lanes
    std::array<std::unique_ptr<Memory>, 2> source = {};    // by set: what inputs and in-place arguments begin as
    std::array<std::unique_ptr<Memory>, 2> expected = {};  // by set: of outputs, in reference_type, masked
    std::array<std::uint64_t, 2> mask = {};                // by set: the key; 0: in clear
    AllowedError allowed = {};
    std::size_t counts = 0;  // of an output's elements: how many are compared
    // Of an output whose sum is compared: what is expected, by set, masked, and what the run before had.
    std::array<std::unique_ptr<Memory>, 2> expected_sum = {};
    std::unique_ptr<Memory> sum = {};
    HostSide host = {};             // of arguments on the host
    bool nondeterministic = false;  // whether its runs may differ

    const Argument& argument() const { return *plan.argument; }
    bool on_host() const { return plan.argument->on_host; }
    std::size_t compared() const { return plan.argument->compares_sum ? 1 : counts; }
  };

  // One check: of runs in so many lanes from the first on, one after the other.
  struct Checked {
    Start start;
    std::size_t lane = 0, lanes = 1;
  };

  static std::size_t whole_quads(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

  // workload_setup.cpp
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

  // workload_reference.cpp
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
  Audit audit_;
  Inspection inspection_;
  Lanes lanes_;
  std::map<std::string, std::unique_ptr<Data>> data_;  // a map for stable, sorted iteration
  std::size_t sets_ = 1;
  std::uint64_t draw_ = first_draw;  // what the second set's numbers follow from, beside the seeds
  double redraw_s_ = 0;
  bool keeps_sources_ = false;  // of inputs
  bool has_host_memory_ = false;
  std::size_t set_ = 0;  // that the inputs hold
  std::size_t input_bytes_ = 0, compared_bytes_ = 0;
  std::vector<search::ExpectedOutput> expected_outputs_;
  std::string data_hash_;               // of the first set; see search::OutputBits
  std::vector<Checked> checked_;        // since the last inspection
  bool staged_since_check_ = false;     // what the last check saw is gone
  std::unique_ptr<Memory> input_jobs_;  // putting the inputs back, by set
  std::size_t inputs_ = 0, most_input_bytes_ = 0;
  std::unique_ptr<Memory> flushed_;  // as soon as it is needed
};

}  // namespace warptune::tuner
