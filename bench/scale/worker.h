// What `warptune work` does on a node, without the node: takes work, runs its session, beats meanwhile, says how it
// ended. Its evaluator is simulated; queue, store and session are the program's own. The session runs on this thread
// and not in a process of its own, whose start costs the node and not the server.
#pragma once

#include <atomic>
#include <string>

#include "bench/scale/latencies.h"
#include "bench/scale/problems.h"
#include "db/queue.h"

namespace warptune::tuner::bench {

struct WorkSettings {
  std::string store, strategy;
  Machine machine;           // its speed is set by each problem
  double trials_per_second;  // of one worker; 0: nobody sleeps
  bool drain = false;        // end when there is nothing to take
};

// What the main thread watches while workers run.
struct Watch {
  std::atomic<bool> stop{false}, measuring{false};
  std::atomic<std::int64_t> trials{0}, sessions{0}, failures{0};
};

class Worker {
 public:
  // All must outlive it.
  Worker(const WorkSettings& settings, const Problems& problems, Watch& watch, std::string name);

  // Until it is told to stop. What goes wrong is said on stderr and counted.
  void run() noexcept;
  const Latencies& latencies() const { return latencies_; }

 private:
  void take_and_serve();
  void serve(const db::WorkRecord& work);
  SessionResult tune(const db::WorkRecord& work, db::Store& store, db::SessionId id);
  void note_recorded(const SimulatedEvaluator& evaluator);
  template <class Work>
  auto timed(const std::string& call, Work work);

  const WorkSettings& settings_;
  const Problems& problems_;
  Watch& watch_;
  const std::string name_;
  db::WorkQueue queue_;
  Latencies latencies_;
};

}  // namespace warptune::tuner::bench
