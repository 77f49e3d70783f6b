// Sends compile jobs to the worker, and decides what its answer or its end means for the job.
#include "tuner/measure/workers/compile_slot.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "tuner/measure/workers/requests.h"

namespace warptune::tuner::workers {

namespace {

// How many workers may end over one compile. What kills a compiler, or keeps it from memory, may be the machine's
// fault.
constexpr int most_deaths_of_a_compiler = 3;

}  // namespace

std::unique_ptr<Process> CompileSlot::begin() {
  auto process = idle_workers_ ? idle_workers_->take(IdleWorkers::Role::compiles) : nullptr;
  if (!process) process = WorkerSlot::begin();
  process->channel().post({to_cbor(prepare_request(setup_, device_, true)), {}});
  process->channel().exchange();
  expect_within(setup_limit_s(setup_));
  return process;
}

void CompileSlot::start(JobId id) {
  job_ = id;
  const Job& job = *board_.find(id);
  const bool tracked = has_to_be_tracked(device_, job.evaluation.purpose);
  json wanted = {{"do", "compile"},
                 {"job", id},
                 {"values", to_json(job.values)},
                 {"constants", to_json(job.constants ? *job.constants : setup_.constants)},
                 {"tracked", tracked}};
  if (for_others_) wanted["flush_ms"] = setup_.options.cache.shared.patience_ms;
  request(wanted);
  expect_within(setup_.options.backend.compile_timeout_s);
}

void CompileSlot::finish() {
  finishing_ = true;
  request({{"do", "finish"}, {"patience_ms", setup_.options.cache.shared.patience_ms}});
}

void CompileSlot::count(const Job& job, std::size_t CompileCounts::*what) {
  if (job.evaluation.purpose == Purpose::trial) ++(counts_.*what);
}

// Ends a job whose compile failed, and counts it.
void CompileSlot::fail(JobId id, search::Outcome outcome, std::string message) {
  if (const Job* job = board_.find(id)) count(*job, &CompileCounts::failed);
  board_.fail(id, outcome, std::move(message));
}

void CompileSlot::on_answer(const json& answer, std::string payload) {
  expect_within(0);
  if (!ready_) {
    if (is_refusal(answer)) throw_refusal(answer);
    if (!answer.contains("ready")) return expect_within(setup_limit_s(setup_));  // an answer to the session before
    ready_ = true;
    failed_starts_ = 0;
    return;
  }
  if (answer.contains("notices")) counts_.notices.merge(answer.at("notices").get<std::map<std::string, std::string>>());
  if (answer.contains("finished")) {
    finishing_ = false;
    return;
  }
  const JobId id = answer.at("job").get<JobId>();
  if (job_ != id) return end(false, "answered what it was not asked");
  job_.reset();
  Job* job = board_.find(id);
  if (!job) return;
  answer.at("compile_ms").get_to(job->trial.phases.compile_ms);
  if (answer.value("unfinished", false)) {
    if (++job->deaths < most_deaths_of_a_compiler) return board_.compile_again(id);
    return fail(id, search::Outcome::crash, "the compiler came to no end: " + text_from_json(answer.at("log")));
  }
  if (answer.contains("violation")) {
    count(*job, &CompileCounts::ruled_out);
    return board_.fail(id, search::Outcome::constraint_violation, text_from_json(answer.at("violation")));
  }
  if (!answer.at("compiled").get<bool>())
    return fail(id, search::Outcome::compile_error, text_from_json(answer.at("log")));
  count(*job, answer.at("hit").get<bool>() ? &CompileCounts::from_cache : &CompileCounts::compiled);
  if (answer.at("shared").get<bool>()) count(*job, &CompileCounts::from_shared);
  board_.compiled(id, std::move(payload));
}

void CompileSlot::on_end(const End& end) {
  if (job_) blame(end);
  if (!ready_ && ++failed_starts_ >= most_failed_starts(end))
    throw NoDeviceError(fmt::format("no compile worker can be started: the last one {}", end.text()));
  ready_ = finishing_ = false;
  job_.reset();
}

void CompileSlot::blame(const End& end) {
  Job* job = board_.find(*job_);
  if (!job) return;
  if (end.timed_out)
    return fail(*job_, search::Outcome::timeout,
                fmt::format("compiling took longer than the compile time-out of {} s; the worker was killed",
                            setup_.options.backend.compile_timeout_s));
  if (++job->deaths < std::max(most_deaths(end), most_deaths_of_a_compiler)) return board_.compile_again(*job_);
  fail(*job_, search::Outcome::crash, fmt::format("the compiler crashed: its worker {}", end.text()));
}

}  // namespace warptune::tuner::workers
