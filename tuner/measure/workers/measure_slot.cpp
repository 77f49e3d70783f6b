// Sends jobs to the measuring worker, and decides who is blamed when it fails. README.md has the rules.
#include "tuner/measure/workers/measure_slot.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>

#include "tuner/measure/crash_hint.h"
#include "tuner/measure/verification/workload.h"
#include "tuner/measure/workers/requests.h"
#include "tuner/measure/workers/watchdog.h"

namespace warptune::tuner::workers {

namespace {

// Returns the time limit of a step: a kernel's time-out and a little more for loading and comparing. On a GPU the
// worker itself gives up a wait after the time-out and reports more, so the limit leaves it time for that.
double step_limit_s(const BackendOptions& options) {
  return options.kernel_timeout_s > 0 ? options.kernel_timeout_s * 1.25 + 0.1 : 0;
}

// Returns the time limit of a whole trial. It catches a worker that does not even notice that it hangs.
double trial_limit_s(const EvaluatorOptions& options) {
  if (options.backend.kernel_timeout_s <= 0) return 0;
  return 10 + 5 * step_limit_s(options.backend) + 5 * options.policy.max_seconds;
}

// Returns the job's trial with the worker's report added. Throws json::exception for an impossible report.
search::Trial trial_of(const Job& job, const json& value) {
  search::Trial trial = job.trial;
  read_trial(value, job.evaluation.purpose, trial);
  trial.phases.compile_ms = job.trial.phases.compile_ms;
  return trial;
}

// Returns a hint on what most likely ended a process on the host in `step`; an empty step is a kernel. On a GPU the
// driver reports bad accesses as errors.
std::string likely_fault(const DeviceInfo& device, const End& end, const std::string& step) {
  if (!device.is_host() || !end.fault.empty() || !WIFSIGNALED(end.status)) return "";
  return crash_hint(step, WTERMSIG(end.status), Accesses::unknown);
}

}  // namespace

std::unique_ptr<Process> MeasureSlot::begin() {
  auto process = spare_();
  if (!process) {
    process = WorkerSlot::begin();
    process->channel().post({to_cbor(prepare_request(setup_, device_, false)), {}});
  }
  process->channel().post({to_cbor(open_request()), {}});
  process->channel().exchange();
  measured_ = process->has_served() ? 1 : 0;
  any_correct_ = false;
  blameless_ = false;
  expect_within(setup_limit_s(setup_));
  return process;
}

json MeasureSlot::open_request() const {
  return {{"do", "open"},
          {"device", to_json(device_)},
          {"constants", to_json(setup_.constants)},
          {"step_limit_s", step_limit_s(setup_.options.backend)}};
}

// Turns to another problem. A worker in which kernels ran on the host is replaced: it may be spoilt, and it cannot
// compile another problem's reference. A fault of the new problem is reported to the user at once, as at the very first
// start.
void MeasureSlot::turn() {
  ever_open_ = false;
  if (!running()) return;  // the next worker opens the new problem
  // If it is not open, it is still setting up the problem before.
  if (!open_ || device_.is_host()) {
    blameless_ = true;
    return end(false);
  }
  open_ = false;
  step_.clear();
  jobs_.clear();
  request(open_request());
  expect_within(setup_limit_s(setup_));
}

void MeasureSlot::start(JobId id) {
  jobs_.push_back(id);
  Job& job = *board_.find(id);
  job.trial.device_uuid = device_.uuid;
  request({{"do", "measure"},
           {"job", id},
           {"rivals", to_json(rivals_)},
           {"values", to_json(job.values)},
           {"purpose", to_json(job.evaluation.purpose)}},
          job.code);
  if (jobs_.size() == 1) watch();
}

void MeasureSlot::watch() {
  expect_within(jobs_.empty() ? 0 : trial_limit_s(setup_.options));
}

void MeasureSlot::on_answer(const json& answer, std::string) {
  if (!open_) return on_setup_answer(answer);
  if (!finish(answer)) return end(false, "answered what it was not asked");
  if (!running()) return;
  watch();
  if (!answer.at("lost").get<bool>()) return;
  blameless_ = true;
  end(false);
}

void MeasureSlot::on_setup_answer(const json& answer) {
  if (is_refusal(answer)) {
    // At the very first start the request or the machine is at fault, so the user is told at once.
    if (!ever_open_) throw_refusal(answer);
    note_failed_start(text_from_json(answer.at("message")), most_failed_starts({}));
    blameless_ = true;
    return end(false);
  }
  if (answer.contains("step")) return note_step(answer);
  // Other messages come first: those about its preparation, and late ones of a worker that was kept.
  if (!answer.contains("open")) return;
  expected_outputs_ = expected_outputs_from(answer.at("expected"));
  open_ = ever_open_ = true;
  failed_starts_ = 0;
  expect_within(0);
}

// Notes the present step of the set-up. The user's code that runs before the first trial has the same time limits as in
// trials.
void MeasureSlot::note_step(const json& answer) {
  const BackendOptions& backend = setup_.options.backend;
  step_ = text_from_json(answer.at("step"));
  step_compiles_ = answer.at("compiles").get<bool>();
  if (step_.empty()) return expect_within(setup_limit_s(setup_));
  expect_within(step_compiles_ ? backend.compile_timeout_s : step_limit_s(backend));
}

std::string MeasureSlot::setup_step() const {
  if (step_.empty()) return "opening " + device_.id + " and filling the data";
  return (step_compiles_ ? "compiling " : "running ") + step_;
}

std::string MeasureSlot::fault_of_step(const End& end) const {
  const BackendOptions& backend = setup_.options.backend;
  if (end.timed_out)
    return fmt::format(
        "{} on {} took longer than the {} time-out of {} s: if it needs that long, raise the time-out "
        "({}){}",
        step_, device_.id, step_compiles_ ? "compile" : "kernel",
        step_compiles_ ? backend.compile_timeout_s : backend.kernel_timeout_s,
        step_compiles_ ? "--compile-timeout" : "--kernel-timeout",
        step_compiles_ ? "" : "; a smaller --size may do, too");
  return fmt::format("{} crashed {} on {}: its worker {}{}", step_, step_compiles_ ? "the compiler" : "when it was run",
                     device_.id, end.text(), step_compiles_ ? "" : likely_fault(device_, end, step_));
}

// Takes a trial. Returns false if the job is none that this worker is working on.
bool MeasureSlot::finish(const json& answer) {
  const JobId id = answer.at("job").get<JobId>();
  if (jobs_.empty() || jobs_.front() != id) return false;
  Job* job = board_.find(id);
  // The job still belongs to the worker here, so that an impossible report is blamed on it.
  if (job) {
    search::Trial trial = trial_of(*job, answer.at("trial"));
    if (doubts(*job, trial)) {
      ++job->deaths;
      blameless_ = true;
      end(false);
      return true;
    }
    note_verdict(*job, trial);
    job->trial = std::move(trial);
  }
  jobs_.pop_front();
  ++measured_;
  if (job) board_.finish(id);
  return true;
}

// Returns whether a failure has to be confirmed by a fresh worker. A kernel on the host may leave its process in a
// state in which later kernels fail. In a space in which hardly anything works, confirming each failure would cost a
// worker for each trial and prove nothing.
bool MeasureSlot::doubts(const Job& job, const search::Trial& trial) const {
  constexpr int enough = 8;
  if (!device_.is_host() || measured_ == 0 || job.deaths > 0) return false;
  const bool may_be_the_workers =
      trial.outcome == search::Outcome::wrong_result || trial.outcome == search::Outcome::launch_error ||
      (trial.outcome == search::Outcome::resource_limit && trial.message.ends_with("(ENOMEM)"));
  return may_be_the_workers && (any_correct_ || confirmed_ < enough);
}

void MeasureSlot::note_verdict(const Job& job, const search::Trial& trial) {
  any_correct_ |= trial.correct();
  if (job.deaths > 0) confirmed_ = trial.correct() ? 0 : confirmed_ + 1;
}

void MeasureSlot::on_end(const End& end) {
  const bool was_open = std::exchange(open_, false);
  const bool in_step = !was_open && !step_.empty();
  // An end by the user's code would happen every time. A kill from outside is tried again.
  if (in_step && !ever_open_ && most_deaths(end) == 1) throw WorkloadError(fault_of_step(end));
  if (!was_open && !blameless_)
    note_failed_start(in_step ? fault_of_step(end) : "its worker " + end.text(), most_failed_starts(end));
  step_.clear();
  std::deque<JobId> jobs = std::exchange(jobs_, {});
  if (was_open && !blameless_ && !jobs.empty()) {
    blame(end, jobs.front());
    jobs.pop_front();
  }
  for (auto id = jobs.rbegin(); id != jobs.rend(); ++id)
    if (board_.find(*id)) board_.measure_again(*id);
}

// Decides whether the job is to blame for the worker's end. A kernel on the host may spoil memory that only a later one
// trips over. So a crash counts only in a fresh worker; otherwise the job is tried once more.
void MeasureSlot::blame(const End& end, JobId id) {
  Job* job = board_.find(id);
  if (!job) return;
  if (end.timed_out || (WIFEXITED(end.status) && WEXITSTATUS(end.status) == hang_exit_code))
    return board_.fail(id, search::Outcome::timeout,
                       fmt::format("running on {} took longer than the kernel time-out of {} s; the worker was killed: "
                                   "if the kernel needs that long, raise the time-out (--kernel-timeout)",
                                   device_.id, setup_.options.backend.kernel_timeout_s));
  const int most = std::max(most_deaths(end), measured_ > 0 ? 2 : 1);
  if (++job->deaths < most) return board_.measure_again(id);
  const bool counted = job->evaluation.purpose == Purpose::counted;
  board_.fail(id, search::Outcome::crash,
              fmt::format("the kernel crashed while it was {} on {}: its worker {}{}",
                          counted ? "counted" : "verified or measured", device_.id, end.text(),
                          likely_fault(device_, end, "")));
}

void MeasureSlot::note_failed_start(const std::string& reason, int most) {
  if (++failed_starts_ < most) return;
  lost_ = fmt::format("{} ({}) is lost: {} attempts to open it failed, the last because {}", device_.id, device_.name,
                      failed_starts_, reason);
  retire();
}

}  // namespace warptune::tuner::workers
