// Runs an agent: it makes this machine work for a session on another one. The agent joins the session, starts workers
// of its own, and sends the trials.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "tuner/device/backend_options.h"
#include "tuner/measure/agents/endpoint.h"
#include "tuner/measure/cache/cache_options.h"
#include "tuner/measure/workers/program.h"

namespace warptune::tuner::agents {

struct AgentOptions {
  Endpoint coordinator;
  std::string token;
  std::string name;          // shown in messages: "node7:4711"
  std::string device;        // the devices offered (device/backends/device_choice.h); empty: all that suit a session
  double patience_s = 60;    // how long to look for the session, at first and after a lost connection
  workers::Program program;  // the program that its workers run
  BackendOptions backend;    // the folders of this machine
  CacheOptions cache;        // the caches of this machine
  std::size_t compile_jobs = 0;  // 0: as many as cores
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const std::string&)> say = {};
};

enum class AgentEnd {
  sent_home,    // the program that it worked for has ended
  not_found,    // no session listens there, or none does any more
  refused,      // it has another token, or speaks another version
  interrupted,  // by `stop`
};

// Runs the agent until it ends. Throws for faults of this machine: a program that is no worker, a full disk.
AgentEnd run_agent(const AgentOptions& options);

}  // namespace warptune::tuner::agents
