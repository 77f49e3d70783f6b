// Declares an Evaluator over the devices of this machine and those of all agents that join while it searches.
// Configurations and trials travel; machine code does not, for each machine compiles its own or finds it in the shared
// cache.
//
// The devices of this machine define the session. An agent measures if its devices are of the same model and its
// compiler gives the same source under the same version, so that all trials belong under one key. Other agents compile
// ahead, if there is a shared cache that passes on what they compile. The jobs that a lost agent had in flight are
// given to others.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tuner/measure/agents/coordinator.h"
#include "tuner/measure/compilation/compiler_facts.h"
#include "tuner/measure/workers/pool.h"

namespace warptune::tuner::agents {

struct FleetOptions {
  std::size_t lookahead = 0;                // configurations in flight; 0: enough for every machine
  const std::atomic<bool>* stop = nullptr;  // as PoolOptions::stop
};

// Returns what agents are told of a session whose own workers have this set-up.
Offer offer_of(const workers::Setup& setup, const DeviceInfo& device, const CompilerFacts& compiler);

class Fleet : public Evaluator, private Employer {
 public:
  // The space and the coordinator must outlive this object.
  Fleet(const search::SearchSpace& space, std::unique_ptr<workers::WorkerPool> local, Coordinator& coordinator,
        Offer offer, FleetOptions options);
  // Ends the session for its agents, which are then free for the next one.
  ~Fleet() override;

  const DeviceInfo& device() const override { return local_->device(); }
  std::size_t capacity() const override;
  void submit(const Evaluation& evaluation) override;
  // Throws what the pool throws. A lost agent does not make it throw.
  search::Trial next() override;
  bool wait(double seconds) override;
  void race_against(const Rivals& rivals) override;
  std::size_t cancel() override;
  double now_s() const override { return local_->now_s(); }

  // Returns a summary such as "3 agents with 6 devices gave 412 trials, 1 was lost"; empty if no agent joined.
  std::string notes() const;

 private:
  struct Job {
    Evaluation evaluation;
    json values;
    bool compiled = false;  // already compiled into the shared cache by an agent that does not measure
    int losses = 0;         // the number of agents that were lost while they had it
  };

  void on_answer(AgentConnection& connection, const json& answer) override;
  void on_gone(AgentConnection& connection) override;
  void finish(AgentConnection& connection, const json& answer);
  static std::optional<search::Trial> verdict(const AgentConnection& connection, const json& answer);
  void ask_again(JobId id);
  void attend(int timeout_ms);
  void offer_to_newcomers();
  void hand_out();
  AgentConnection* measurer_with_room() const;
  bool local_has_room(const AgentConnection* other) const;
  bool has_finished() const { return !finished_.empty() || (local_jobs_ > 0 && local_->has_finished()); }
  bool in_flight() const { return local_jobs_ > 0 || !jobs_.empty() || !finished_.empty(); }
  bool stopped() const { return options_.stop && options_.stop->load(); }
  search::Trial abandoned();

  const search::SearchSpace& space_;
  std::unique_ptr<workers::WorkerPool> local_;
  Coordinator& coordinator_;
  Offer offer_;
  FleetOptions options_;
  std::map<JobId, Job> jobs_;  // the jobs that wait here or are with an agent
  std::deque<JobId> to_measure_, waiting_;
  std::deque<search::Trial> finished_;
  std::size_t local_jobs_ = 0;
  Rivals rivals_;
  std::size_t joined_ = 0, devices_ = 0, trials_ = 0, lost_ = 0;
  std::vector<pollfd> polled_;
};

}  // namespace warptune::tuner::agents
