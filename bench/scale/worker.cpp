#include "bench/scale/worker.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "bench/scale/watched_strategy.h"

namespace warptune::tuner::bench {

namespace {

using namespace std::chrono_literals;

// As `warptune work` has them.
constexpr auto beat_every = 1s, look_again_after = 1s;

// Beats beside a session, as the worker's process beside its session's. The queue is its own until it is gone.
class Beater {
 public:
  Beater(db::WorkQueue& queue, const db::WorkRecord& work)
      : thread_([this, &queue, &work](const std::stop_token& stop) { run(queue, work, stop); }) {}

  const Latencies& end() {
    thread_.request_stop();
    thread_.join();
    return latencies_;
  }

 private:
  void run(db::WorkQueue& queue, const db::WorkRecord& work, const std::stop_token& stop) {
    const auto start = WallClock::now();
    std::unique_lock lock(mutex_);
    while (!woken_.wait_for(lock, stop, beat_every, [&] { return stop.stop_requested(); })) {
      try {
        latencies_.timed("beat", [&] { return queue.beat(work, ms_since(start) / 1e3); });
      } catch (const std::exception& error) {
        fmt::print(stderr, "a beat failed: {}\n", error.what());
      }
    }
  }

  Latencies latencies_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::jthread thread_;
};

std::size_t trials_of(const db::WorkRecord& work) {
  return std::stoul(work.order.arguments.at(0));
}

}  // namespace

Worker::Worker(const WorkSettings& settings, const Problems& problems, Watch& watch, std::string name)
    : settings_(settings),
      problems_(problems),
      watch_(watch),
      name_(std::move(name)),
      queue_(db::WorkQueue::open(settings.store, db::OpenMode::read_write)) {}

template <class Work>
auto Worker::timed(const std::string& call, Work work) {
  if (watch_.measuring) return latencies_.timed(call, work);
  return work();
}

void Worker::run() noexcept {
  try {
    take_and_serve();
  } catch (const std::exception& error) {
    ++watch_.failures;
    fmt::print(stderr, "{}: {}\n", name_, error.what());
  }
}

void Worker::take_and_serve() {
  const std::vector<std::string> devices{"Simulated (replay, none)"};
  while (!watch_.stop) {
    const auto work = timed("claim", [&] { return queue_.claim(devices, name_); });
    if (work)
      serve(*work);
    else if (settings_.drain)
      return;
    else
      std::this_thread::sleep_for(look_again_after);
  }
}

void Worker::serve(const db::WorkRecord& work) {
  timed("files", [&] { return queue_.files(work.id); });
  Beater beater(queue_, work);
  // A session has a connection of its own, made anew: it is another process.
  db::Store store = timed("open", [&] { return db::Store::open(settings_.store, db::OpenMode::read_write); });
  const PreparedProblem& problem = problems_.at(work.order.kernel);
  const db::SessionId id =
      timed("create", [&] { return store.create_session(session_row(problem, settings_.strategy, work.id)); });
  const SessionResult result = tune(work, store, id);
  const Latencies beats = beater.end();
  if (watch_.measuring) latencies_.add(beats);
  if (result.interrupted) return queue_.give_back(work, false, "");
  timed("finish", [&] { return queue_.finish(work, db::WorkState::done, id, ""), true; });
  ++watch_.sessions;
}

SessionResult Worker::tune(const db::WorkRecord& work, db::Store& store, db::SessionId id) {
  const PreparedProblem& problem = problems_.at(work.order.kernel);
  Machine machine = settings_.machine;
  machine.speed = speed_for(problem, machine, settings_.trials_per_second);
  SimulatedEvaluator evaluator(*problem.recording, machine);
  const auto seed = static_cast<std::uint64_t>(work.id);
  WatchedStrategy strategy(search::make_strategy(settings_.strategy, {problem.recording->space(), seed}),
                           [&] { note_recorded(evaluator); });
  return run_session({problem, strategy, evaluator, store, {.trials = trials_of(work)}, watch_.stop}, id);
}

void Worker::note_recorded(const SimulatedEvaluator& evaluator) {
  ++watch_.trials;
  if (watch_.measuring) latencies_.add("record", ms_since(evaluator.returned_at()));
}

}  // namespace warptune::tuner::bench
