// Claims, watches and settles work, and waits between two looks at an empty queue.
#include "tuner/session/queue/work_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tuner/device/backends/device_choice.h"
#include "tuner/kernel/files/bundle.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/session/queue/exit_code.h"
#include "tuner/session/queue/order_arguments.h"
#include "tuner/system/clock.h"
#include "tuner/system/machine.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner {

namespace {

// Returns the devices that are offered, as "NVIDIA H200 (cuda, sm_90)". --gpu of `submit` names a part of this.
std::vector<std::string> offered(const WorkRequest& request) {
  const DeviceList list = workers::FirstWorker({request.program}).list_devices(request.backend);
  std::vector<std::string> names;
  for (const DeviceInfo& device : choose_devices(list, request.device))
    names.push_back(fmt::format("{} ({}, {})", device.name, device.backend, device.architecture));
  return names;
}

TakenWork record_of(const db::WorkRecord& work) {
  return {.work = work.id, .kernel = work.order.kernel, .problem = work.order.problem, .attempts = work.attempts};
}

}  // namespace

std::string_view to_string(WorkEnd end) {
  constexpr std::array<std::string_view, 4> names{"done", "failed", "given back", "taken away"};
  return names.at(static_cast<std::size_t>(end));
}

WorkLoop::WorkLoop(const WorkRequest& request, const std::atomic<bool>& stop, WorkObserver& observer)
    : request_(request),
      stop_(stop),
      observer_(observer),
      queue_(db::WorkQueue::open(request.store, db::OpenMode::read_write)) {
  for (const std::string& setting : request.environment)
    if (const std::size_t equals = setting.find('='); equals == 0 || equals == std::string::npos)
      throw std::invalid_argument(fmt::format("the setting '{}' of work's sessions: expected NAME=VALUE", setting));
}

void WorkLoop::run() {
  const std::vector<std::string> devices = offered(request_);
  const std::string name = process_name();
  observer_.on_offer(name, devices);
  for (double idle_since_s = steady_s(); !stop_.load() && !trouble_;) {
    if (const auto work = queue_.claim(devices, name)) {
      serve(*work);
      idle_since_s = steady_s();
      continue;
    }
    const double idle_s = steady_s() - idle_since_s;
    if (!may_wait(idle_s)) break;
    rest(pause_s(idle_s));
  }
}

void WorkLoop::serve(const db::WorkRecord& work) {
  observer_.on_taken(record_of(work));
  const ScratchFolder folder;
  if (const std::string why = unpack_order(work, folder.path()); !why.empty()) {
    queue_.finish(work, db::WorkState::failed, std::nullopt, why);
    return note(work, WorkEnd::failed, std::nullopt);
  }
  // The store is not among the arguments, which every user of the machine sees.
  std::vector<std::string> environment = request_.environment;
  environment.push_back("WARPTUNE_DB=" + request_.store.string());
  WorkedSession session(request_.program, arguments_for(work, folder.path()), environment,
                        [this](const std::string& text) { observer_.on_words(text); });
  if (watch(work, session))
    settle(work, session);
  else
    note(work, WorkEnd::taken_away, session.session());
}

// Unpacks the work's template into the folder. Returns what is wrong with the work whoever takes it; empty if nothing
// is.
std::string WorkLoop::unpack_order(const db::WorkRecord& work, const std::filesystem::path& folder) const {
  if (std::string why = refusal_of_arguments(work.order.arguments); !why.empty()) return why;
  try {
    std::vector<BundledFile> files;
    for (db::WorkFile& file : queue_.files(work.id)) files.push_back({std::move(file.path), std::move(file.content)});
    if (std::ranges::find(files, work.order.manifest, &BundledFile::path) == files.end())
      return fmt::format("its manifest '{}' is none of the files that were submitted", work.order.manifest);
    unpack(files, folder);
  } catch (const RequestError& error) {
    return error.what();
  } catch (const db::StoreError& error) {
    if (error.cause() != db::StoreError::Cause::corrupt) throw;
    return error.what();
  }
  return {};
}

std::vector<std::string> WorkLoop::arguments_for(const db::WorkRecord& work,
                                                 const std::filesystem::path& folder) const {
  std::vector<std::string> arguments{(folder / work.order.manifest).string(), "--format=json"};
  if (!request_.device.empty()) arguments.push_back("--device=" + request_.device);
  arguments.insert(arguments.end(), work.order.arguments.begin(), work.order.arguments.end());
  // The time that earlier attempts have spent is taken off the budget. A little is left in any case, to settle on a
  // winner.
  constexpr double least_s = 10;
  if (work.order.budget_s)
    arguments.push_back(fmt::format(
        "--budget={:.0f}s", std::max(*work.order.budget_s - work.spent_s, std::min(least_s, *work.order.budget_s))));
  return arguments;
}

// Waits until the session has ended, and stops it if it has to end. Returns false if the work is now somebody else's,
// or nobody's.
bool WorkLoop::watch(const db::WorkRecord& work, WorkedSession& session) {
  constexpr int beat_ms = 1000;
  const double start_s = steady_s();
  std::optional<double> stopped_s;
  bool ours = true, said = false;
  const auto beat = [&] {
    try {
      ours = ours && queue_.beat(work, work.spent_s + steady_s() - start_s);
      said = false;
    } catch (const db::StoreError& error) {
      using Cause = db::StoreError::Cause;
      if (error.cause() != Cause::cannot_open && error.cause() != Cause::disk_full) throw;
      // The session has its own connection, and ends by itself if nothing more can be kept.
      if (!said) observer_.on_words(error.what());
      said = true;
    }
  };
  while (!session.ended_within(beat_ms)) {
    beat();
    if ((!ours || stop_.load()) && !stopped_s) {
      session.stop();
      stopped_s = steady_s();
    }
    if (stopped_s && steady_s() - *stopped_s > request_.grace_s) session.kill();
  }
  beat();  // its last second is charged too
  return ours;
}

// Records what a session's end means for its work. Some failures would repeat anywhere, some only here or now.
void WorkLoop::settle(const db::WorkRecord& work, WorkedSession& session) {
  const int code = session.exit_code();
  if (code == success) {
    queue_.finish(work, db::WorkState::done, session.session(), "");
    note(work, WorkEnd::done, session.session());
  } else if (code == nothing_correct || code == request_error || code == usage_error) {
    queue_.finish(work, db::WorkState::failed, session.session(),
                  code == nothing_correct ? "no configuration gave the right result" : session.last_words());
    note(work, WorkEnd::failed, session.session());
  } else {
    if (const auto best = session.best(); code == store_error && best)
      observer_.on_unkept_best(record_of(work), best->configuration, best->time_ms);
    const bool ended_on_purpose = code == interrupted || stop_.load();
    // A store that takes nothing more would otherwise use up all attempts of all work in no time.
    const bool counted = !ended_on_purpose && (code != store_error || store_is_well());
    queue_.give_back(work, counted, ended_on_purpose ? "" : session.last_words());
    note(work, WorkEnd::given_back, session.session());
  }
}

// Returns whether another session could use the store. A later version of the program may have changed its schema, or
// its disk may be full.
bool WorkLoop::store_is_well() {
  try {
    db::WorkQueue::open(request_.store, db::OpenMode::read_write);
    queue_.require_space();
  } catch (const db::StoreError& error) {
    if (error.cause() == db::StoreError::Cause::cannot_open) throw;  // work cannot be given back either
    trouble_ = error;
  }
  return !trouble_;
}

void WorkLoop::note(const db::WorkRecord& work, WorkEnd end, std::optional<db::SessionId> session) {
  TakenWork& ended = taken_.emplace_back(record_of(work));
  ended.end = end;
  ended.session = session.value_or(0);
  observer_.on_ended(ended);
}

bool WorkLoop::may_wait(double idle_s) const {
  if (request_.drain || stop_.load()) return false;
  return request_.idle_exit_s == 0 || idle_s < request_.idle_exit_s;
}

// Returns the pause before the next look at the queue. It grows with the time without work, and is random, so that
// workers do not look all at once. For each look the server has to look at all claims.
double WorkLoop::pause_s(double idle_s) {
  constexpr double shortest_s = 1, longest_s = 5;
  const double most_s = std::clamp(idle_s / 4, shortest_s, longest_s);
  const double chosen_s = std::uniform_real_distribution<double>(most_s / 2, most_s)(generator_);
  return request_.idle_exit_s > 0 ? std::clamp(request_.idle_exit_s - idle_s, 0.0, chosen_s) : chosen_s;
}

void WorkLoop::rest(double seconds) const {
  const double since_s = steady_s();
  while (steady_s() - since_s < seconds && !stop_.load()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace warptune::tuner
