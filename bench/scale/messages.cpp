// What each message to the server costs: one kind, many times, by one connection. The driver reads the server's
// processor time and log before and behind it.
#include <fmt/format.h>

#include <stdexcept>

#include "bench/scale/driver.h"
#include "bench/scale/latencies.h"
#include "bench/scale/problems.h"
#include "bench/scale/verbs.h"
#include "db/queue.h"

namespace warptune::tuner::bench {

namespace {

constexpr auto mode = db::OpenMode::read_write;

// Of one kind of message; made with what comes before the first.
using Message = std::function<void(std::size_t number)>;

db::WorkRecord taken(db::WorkQueue& queue) {
  const auto work = queue.claim(std::vector<std::string>{"Simulated (replay, none)"}, "node:1");
  if (!work) throw std::runtime_error("there is nothing in the queue to be taken");
  return *work;
}

Message claiming(const std::string& store) {
  const auto queue = std::make_shared<db::WorkQueue>(db::WorkQueue::open(store, mode));
  // Given back, so that the next claim finds as many before it.
  return [queue](std::size_t) { queue->give_back(taken(*queue), false, ""); };
}

Message finishing(const std::string& store) {
  const auto queue = std::make_shared<db::WorkQueue>(db::WorkQueue::open(store, mode));
  return [queue](std::size_t) { queue->finish(taken(*queue), db::WorkState::done, std::nullopt, ""); };
}

Message looking(const std::string& store) {
  const auto queue = std::make_shared<db::WorkQueue>(db::WorkQueue::open(store, mode));
  return [queue](std::size_t) {
    if (queue->claim(std::vector<std::string>{"Simulated (replay, none)"}, "node:1"))
      throw std::runtime_error("there should have been nothing to take");
  };
}

Message beating(const std::string& store) {
  const auto queue = std::make_shared<db::WorkQueue>(db::WorkQueue::open(store, mode));
  return [queue, work = taken(*queue)](std::size_t number) {
    if (!queue->beat(work, static_cast<double>(number))) throw std::runtime_error("the work was taken away");
  };
}

Message opening(const std::string& store) {
  return [store](std::size_t) { db::Store::open(store, mode); };
}

struct Recorder {
  db::Store store;
  PreparedProblem problem;
  db::SessionId session;
  SimulatedEvaluator evaluator;

  Recorder(const std::string& address, PreparedProblem given, std::int64_t key)
      : store(db::Store::open(address, mode)),
        problem(std::move(given)),
        session(store.create_session(session_row(problem, "random", key))),
        evaluator(*problem.recording, {}) {}

  std::pair<search::NamedValues, search::Trial> trial(std::size_t number) {
    const auto& space = problem.recording->space();
    const auto size = static_cast<std::size_t>(space.size());
    constexpr std::size_t stride = 7919;  // a prime: all of the space, far apart
    evaluator.submit({space.at(number * stride % size)});
    search::Trial trial = evaluator.next();
    search::NamedValues values = space.values(trial.configuration);
    return {std::move(values), std::move(trial)};
  }
};

Message recording(const std::string& store, const PreparedProblem& problem, std::int64_t key) {
  const auto recorder = std::make_shared<Recorder>(store, problem, key);
  return [recorder](std::size_t number) {
    const auto [values, trial] = recorder->trial(number);
    recorder->store.record(recorder->session, values, trial);
  };
}

// So many trials in one transaction.
Message batching(const std::string& store, const PreparedProblem& problem, std::int64_t key, std::size_t batch) {
  const auto recorder = std::make_shared<Recorder>(store, problem, key);
  return [recorder, batch](std::size_t number) {
    std::vector<db::StoredTrial> trials(batch);
    for (std::size_t i = 0; i < batch; ++i)
      std::tie(trials[i].values, trials[i].trial) = recorder->trial(number * batch + i);
    recorder->store.record_batch(recorder->session, trials);
  };
}

// A session's other rows: its own, its first trial's and its winner's.
Message settling(const std::string& store, const PreparedProblem& problem, std::int64_t key) {
  const auto recorder = std::make_shared<Recorder>(store, problem, key);
  return [recorder, key](std::size_t number) {
    const auto row = session_row(recorder->problem, "random", key + 1 + static_cast<std::int64_t>(number));
    const db::SessionId id = recorder->store.create_session(row);
    const auto [values, trial] = recorder->trial(number);
    const db::TrialId recorded = recorder->store.record(id, values, trial);
    recorder->store.set_session_state(id, db::SessionState::finished);
    recorder->store.set_winner(id, {recorded, 1.0, 0.01, {}, {}});
  };
}

Message message_of(const Options& options) {
  const std::string kind = options.text("kind"), store = options.text("store");
  const auto key = static_cast<std::int64_t>(options.count("key", 1)) * 1'000'000'000;
  const auto problem = [&] { return read_problems(options.list("recordings")).begin()->second; };
  if (kind == "open") return opening(store);
  if (kind == "claim") return claiming(store);
  if (kind == "finish") return finishing(store);
  if (kind == "look") return looking(store);
  if (kind == "beat") return beating(store);
  if (kind == "record") return recording(store, problem(), key);
  if (kind == "batch") return batching(store, problem(), key, options.count("batch", 100));
  if (kind == "session") return settling(store, problem(), key);
  throw std::invalid_argument("there is no kind of message " + kind);
}

}  // namespace

void messages(const Options& options) {
  const Message message = message_of(options);
  Latencies latencies;
  message(0);  // prepares its statements
  say_and_wait("begin", {});
  for (std::size_t number = 1; number <= options.count("count", 100); ++number)
    latencies.timed("message", [&] { return message(number), true; });
  say_and_wait("end", {});
  say("latencies", latencies.summary());
}

}  // namespace warptune::tuner::bench
