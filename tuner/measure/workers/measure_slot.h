// Declares a place for a worker that measures on one device. The worker's next job waits in its socket while it works
// on the present one.
#pragma once

#include <deque>
#include <functional>

#include "tuner/measure/workers/jobs.h"
#include "tuner/measure/workers/requests.h"
#include "tuner/measure/workers/slot.h"

namespace warptune::tuner::workers {

// Runs one measuring worker at a time for a device. The worker gets its next job before it has finished the present
// one.
class MeasureSlot : public WorkerSlot {
 public:
  // Returns a worker that has been asked to prepare itself, or nothing.
  using Spare = std::function<std::unique_ptr<Process>()>;

  // All references outlive the slot.
  MeasureSlot(const Program& program, const Setup& setup, DeviceInfo device, JobBoard& board, Spare spare)
      : WorkerSlot(program), setup_(setup), device_(std::move(device)), board_(board), spare_(std::move(spare)) {}

  const DeviceInfo& device() const { return device_; }
  // Returns whether the device is open, or will be again.
  bool alive() const { return lost_.empty(); }
  // Returns why the device is lost; empty while it is not.
  const std::string& lost() const { return lost_; }
  bool open() const { return open_ && running(); }
  // Returns what the worker that opened last found of the outputs that are expected.
  const std::vector<search::ExpectedOutput>& expected_outputs() const { return expected_outputs_; }
  // Returns in words what the worker does before its device is open.
  std::string setup_step() const;
  const std::deque<JobId>& jobs() const { return jobs_; }
  void start(JobId id);
  // Makes the worker set up the other sizes that the set-up has now. No job may be under way.
  void turn();
  // Sets the rivals, as Evaluator::race_against says, for the jobs that are started from now on.
  void race_against(const Rivals& rivals) { rivals_ = rivals; }

 private:
  std::unique_ptr<Process> begin() override;
  void on_answer(const json& answer, std::string payload) override;
  void on_end(const End& end) override;
  json open_request() const;
  void on_setup_answer(const json& answer);
  void note_step(const json& answer);
  std::string fault_of_step(const End& end) const;
  bool finish(const json& answer);
  bool doubts(const Job& job, const search::Trial& trial) const;
  void note_verdict(const Job& job, const search::Trial& trial);
  void send(JobId id);
  void blame(const End& end, JobId id);
  void note_failed_start(const std::string& reason, int most);
  void watch();

  const Setup& setup_;
  DeviceInfo device_;
  JobBoard& board_;
  Spare spare_;
  std::string step_;  // the step of the set-up: the user's code that is compiled or run now
  bool step_compiles_ = false;
  bool open_ = false;
  bool ever_open_ = false;
  bool blameless_ = false;    // the worker's end is planned, and nothing is blamed for it
  std::size_t measured_ = 0;  // the number of trials measured by this worker
  bool any_correct_ = false;  // whether any of those was correct
  int confirmed_ = 0;         // failures in a row that a fresh worker found again
  int failed_starts_ = 0;
  std::string lost_;
  std::vector<search::ExpectedOutput> expected_outputs_;
  Rivals rivals_;
  std::deque<JobId> jobs_;  // sent; the first is being measured
};

}  // namespace warptune::tuner::workers
