// Makes one size of one template ready to be queued again and again: nothing is evaluated, allocated or looked up by
// name in a launch, since that would take longer than many kernels.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "tuner/kernel/plan.h"
#include "tuner/library/runtime/call.h"
#include "tuner/library/runtime/programs.h"

namespace warptune::runtime {

// A Prepared is a template at one size in one configuration: compiled, planned, and ready to be queued again and again.
// It is immutable but for its scratch memory, of which each stream has its own, since work on different streams
// overlaps.
class Prepared {
 public:
  // `scope` holds sizes, limits and the configuration's values, `program` is its code. The template, the signature and
  // the target must outlive it. Throws Error for what can never be launched.
  Prepared(const tuner::KernelTemplate& kernel, const Signature& signature, const search::NamedValues& scope,
           std::shared_ptr<Program> program, Target& target);

  // Queues every launch. `arguments` has the signature's size.
  void queue(Stream stream, ArgumentBytes* arguments);

 private:
  using Scratch = std::vector<std::unique_ptr<tuner::Memory>>;

  // A Slot says where a kernel's argument comes from: exactly one of the call's arguments, the scratch memory, a
  // constant. If it has a `view`, a tensor map of that buffer is made for the argument, which takes a launch some
  // hundred nanoseconds.
  struct Slot {
    int argument = -1;
    int temporary = -1;
    ArgumentBytes value{};
    std::optional<tuner::TensorView> view;
    std::size_t bytes = 0;  // of the buffer that is viewed
  };
  struct Cleared {
    Slot slot;
    std::size_t bytes = 0;
  };
  struct Step {
    Function* function = nullptr;
    tuner::LaunchGeometry geometry;
    std::vector<Slot> slots;
    std::vector<Cleared> clear;
  };
  struct Symbol {
    int argument = -1;
    tuner::MemorySpan to;
  };

  struct Call {
    Stream stream = nullptr;
    ArgumentBytes* arguments = nullptr;
    const Scratch& scratch;
  };

  Slot slot_of(const std::string& buffer) const;
  Slot slot_of(const tuner::PlannedArgument& argument, const search::NamedValues& scope) const;
  void add(const tuner::PlannedLaunch& launch, const search::NamedValues& scope);
  void add_symbols(const search::NamedValues& scope);
  Scratch& scratch_of(Stream stream);
  static std::uint64_t address(const Slot& slot, const Call& call);
  void run(const Call& call);
  void launch(const Step& step, const Call& call);

  const tuner::KernelTemplate& kernel_;
  const Signature& signature_;
  Target& target_;
  std::shared_ptr<Program> program_;
  std::vector<tuner::PlannedBuffer> temporaries_;
  std::vector<Step> steps_;
  std::vector<Symbol> symbols_;
  std::mutex mutex_;
  std::map<Stream, Scratch> scratch_;
};

}  // namespace warptune::runtime
