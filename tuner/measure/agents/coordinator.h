// Where agents come to: one for all sessions that a program has one after the other. It starts no process on any
// machine; Slurm, mpirun, ssh or a person does.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tuner/measure/agents/member.h"

namespace warptune::tuner::agents {

// Who has them work.
class Employer {
 public:
  virtual ~Employer() = default;
  virtual void on_answer(Member& member, const json& answer) = 0;
  // It is gone; what it had is to be given to others.
  virtual void on_gone(Member& member) = 0;
};

// For one thread; nothing happens between calls.
class Coordinator {
 public:
  // Takes the port. Agents are let in who have the token. `say` is told who comes and goes. Throws search::Error.
  Coordinator(const Endpoint& endpoint, std::string token, std::function<void(const std::string&)> say);
  // Sends them home.
  ~Coordinator();
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  unsigned short port() const { return port_of(listener_.get()); }
  void say(const std::string& text) const { say_(text); }
  JobId next_job() { return ++last_job_; }

  void add_to(std::vector<pollfd>& polled) const;
  // Lets in who waits, greets, sends and listens.
  void serve(Employer& employer);
  const std::vector<std::unique_ptr<Member>>& members() const { return members_; }

 private:
  bool has_room() const;
  void let_in();

  std::string token_;
  std::function<void(const std::string&)> say_;
  FileDescriptor listener_;
  std::size_t most_;  // connections
  std::vector<std::unique_ptr<Member>> members_;
  JobId last_job_ = 0;
};

}  // namespace warptune::tuner::agents
