// Declares an agent as its session sees it: a connection, what the agent can do, and the configurations that it has.
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tuner/measure/agents/endpoint.h"
#include "tuner/measure/agents/folder_transfer.h"
#include "tuner/measure/agents/handshake.h"

namespace warptune::tuner::agents {

using nlohmann::json;

// The number of a configuration that is in flight. It is unique within a program.
using JobId = std::uint32_t;

// What a session sends its agents at first: its files, and the message that begins it.
struct Offer {
  std::filesystem::path folder;
  json begin;
  double setup_limit_s = 0;  // how long an agent may be silent until it is ready
};

// The connection to one agent. Like the channel, it is for one thread.
class AgentConnection {
 public:
  enum class State {
    greeting,   // it has not proved who it is yet
    resting,    // it is known, and has no session
    preparing,  // it was offered a session, and sets itself up
    ready,      // it takes configurations
    unfit,      // it has no part in this session
  };

  AgentConnection(FileDescriptor socket, std::string token);

  State state() const { return state_; }
  const std::string& name() const { return name_; }  // "node7:4711"
  // Returns why nothing more comes from the agent; empty as long as it is there.
  const std::string& gone() const { return gone_; }
  double silent_s() const { return silent_s_; }
  pollfd polled() const;

  void offer(const Offer& offer);
  void end_session();
  void leave();

  // Returns whether the agent has yet to be announced. It is announced once, in the first of several sessions.
  bool introduce() { return !std::exchange(introduced_, true); }

  // The following functions are for an agent in the state `ready`.
  bool measures() const { return devices_ > 0; }
  std::size_t devices() const { return devices_; }
  std::size_t capacity() const { return capacity_; }
  const std::set<JobId>& jobs() const { return jobs_; }
  void evaluate(JobId id, const json& values, const Rivals& rivals);
  void done(JobId id) { jobs_.erase(id); }
  std::set<JobId> take_jobs() { return std::exchange(jobs_, {}); }
  void race_against(const Rivals& rivals);
  void forget_all();

  // `exchange` sends and receives what is possible now. `next_answer` returns the next answer of the agent's session: a
  // trial, or that its state has changed ("ready", "unfit").
  void exchange();
  std::optional<json> next_answer();
  // Gives the agent up because it sent something invalid or is of no use any more.
  void lose(std::string why);

 private:
  void post(const json& message);
  void greet(const json& answer);
  bool is_for_session(const json& answer);
  void note_silence();
  double patience_s() const;
  void send_files();

  std::string token_;
  Nonces nonces_;
  workers::Channel channel_;
  State state_ = State::greeting;
  std::string name_, gone_;
  std::optional<FolderSender> files_;
  json begin_;
  double setup_limit_s_ = 0;
  std::size_t devices_ = 0, capacity_ = 0;
  bool introduced_ = false;
  std::set<JobId> jobs_;
  std::int64_t session_ = 0;  // counts offers, so that late messages of an earlier session are recognised
  double silent_s_ = 0, looked_s_;
};

}  // namespace warptune::tuner::agents
