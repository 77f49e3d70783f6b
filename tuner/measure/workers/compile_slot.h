// Declares a place for a worker that compiles. Rejected: a thread of the program, since NVRTC cannot be interrupted,
// and may crash or use up the memory; a process can be ended.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tuner/measure/workers/jobs.h"
#include "tuner/measure/workers/process.h"
#include "tuner/measure/workers/requests.h"
#include "tuner/measure/workers/slot.h"

namespace warptune::tuner::workers {

// Counts what became of the configurations that were to be tried, each once. Finals are not counted, since they load
// what is compiled already.
struct CompileCounts {
  std::size_t compiled = 0;
  std::size_t from_cache = 0;
  std::size_t from_shared = 0;  // of these, from the shared cache
  std::size_t failed = 0;       // the compiler refused it, took too long or crashed, or the cache has its error
  std::size_t ruled_out = 0;    // there is nothing to compile: its macros cannot be computed
  // What workers report about the shared cache, by a name of the kind. Each kind is reported once for all workers.
  std::map<std::string, std::string> notices = {};
};

// Runs one compile worker at a time. The time-out is enforced from here, because NVRTC's parser cannot be interrupted.
// Killing a worker also ends the processes of a host compiler.
class CompileSlot : public WorkerSlot {
 public:
  // All references, and the idle workers, outlive the slot; `idle_workers` may be nullptr. If `for_others`, a job ends
  // only once its code has reached the shared cache.
  CompileSlot(const Program& program, const Setup& setup, const DeviceInfo& device, JobBoard& board,
              CompileCounts& counts, bool for_others = false, IdleWorkers* idle_workers = nullptr)
      : WorkerSlot(program),
        setup_(setup),
        device_(device),
        board_(board),
        counts_(counts),
        for_others_(for_others),
        idle_workers_(idle_workers) {}

  bool free() const { return running() && ready_ && !job_; }
  void start(JobId id);
  // Makes a free worker send what it has for the shared cache.
  void finish();
  bool finishing() const { return running() && finishing_; }

 private:
  std::unique_ptr<Process> begin() override;
  void on_answer(const json& answer, std::string payload) override;
  void on_end(const End& end) override;
  void blame(const End& end);
  void count(const Job& job, std::size_t CompileCounts::*what);
  void fail(JobId id, search::Outcome outcome, std::string message);

  const Setup& setup_;
  const DeviceInfo& device_;
  JobBoard& board_;
  CompileCounts& counts_;
  bool for_others_;
  IdleWorkers* idle_workers_;
  bool ready_ = false, finishing_ = false;
  int failed_starts_ = 0;
  std::optional<JobId> job_;
};

}  // namespace warptune::tuner::workers
