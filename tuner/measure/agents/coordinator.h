// Declares the coordinator, to which agents connect. One coordinator serves all sessions that a program runs one after
// the other. It starts no process on any machine; Slurm, mpirun, ssh or a person does.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tuner/measure/agents/agent_connection.h"

namespace warptune::tuner::agents {

// The receiver of what agents answer: the session that gives them work.
class Employer {
 public:
  virtual ~Employer() = default;
  virtual void on_answer(AgentConnection& connection, const json& answer) = 0;
  // Called when the connection is gone. Its configurations have to be given to others.
  virtual void on_gone(AgentConnection& connection) = 0;
};

// Owns the connections to all agents. It is for one thread and does nothing between calls.
class Coordinator {
 public:
  // Opens the port. Only agents that have the token are let in. `say` is called with a line for whoever comes and goes.
  // Throws search::Error.
  Coordinator(const Endpoint& endpoint, std::string token, std::function<void(const std::string&)> say);
  // Tells all agents that the program ends.
  ~Coordinator();
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  unsigned short port() const { return port_of(listener_.get()); }
  void say(const std::string& text) const { say_(text); }
  JobId next_job() { return ++last_job_; }

  void add_to(std::vector<pollfd>& polled) const;
  // Accepts waiting connections, greets agents, sends what is queued, and passes answers to `employer`.
  void serve(Employer& employer);
  const std::vector<std::unique_ptr<AgentConnection>>& connections() const { return connections_; }

 private:
  bool has_room() const;
  void let_in();

  std::string token_;
  std::function<void(const std::string&)> say_;
  FileDescriptor listener_;
  std::size_t most_;  // the most connections at once
  std::vector<std::unique_ptr<AgentConnection>> connections_;
  JobId last_job_ = 0;
};

}  // namespace warptune::tuner::agents
