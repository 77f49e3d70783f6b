// A place for a worker that measures on one device, with its next job in its socket while it works on the present one.
#pragma once

#include <deque>
#include <functional>

#include "tuner/measure/workers/job_board.h"
#include "tuner/measure/workers/setup.h"
#include "tuner/measure/workers/slot.h"

namespace warptune::tuner::workers {

// A place for a device's measuring worker. It has its next job before it has finished the present one.
class MeasureSlot : public Slot {
 public:
  // Gives a worker that has been asked to prepare itself, or nothing.
  using Spare = std::function<std::unique_ptr<Process>()>;

  // All references outlive the slot.
  MeasureSlot(const Program& program, const Setup& setup, DeviceInfo device, JobBoard& board, Spare spare)
      : Slot(program), setup_(setup), device_(std::move(device)), board_(board), spare_(std::move(spare)) {}

  const DeviceInfo& device() const { return device_; }
  // The device is open, or will be again.
  bool alive() const { return lost_.empty(); }
  // Why not.
  const std::string& lost() const { return lost_; }
  bool open() const { return open_ && running(); }
  // What the worker that opened last found of the outputs that are expected.
  const std::vector<search::ExpectedOutput>& expected_outputs() const { return expected_outputs_; }
  // What it does before it is open, in words.
  std::string setup_step() const;
  const std::deque<JobId>& jobs() const { return jobs_; }
  void start(JobId id);
  // The set-up has other sizes now. No job may be under way.
  void turn();
  // See Evaluator; for the jobs that are started from now on.
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
  std::string step_;  // of the set-up: what of the user's is compiled or run now
  bool step_compiles_ = false;
  bool open_ = false;
  bool ever_open_ = false;
  bool blameless_ = false;    // it ends as planned
  std::size_t measured_ = 0;  // by this worker
  bool any_correct_ = false;  // of those
  int confirmed_ = 0;         // failures in a row that a fresh worker found again
  int failed_starts_ = 0;
  std::string lost_;
  std::vector<search::ExpectedOutput> expected_outputs_;
  Rivals rivals_;
  std::deque<JobId> jobs_;  // sent; the first is being measured
};

}  // namespace warptune::tuner::workers
