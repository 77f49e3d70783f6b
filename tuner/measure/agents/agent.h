// A machine that works for a session on another one: joins it, makes workers of its own for it, and sends the trials.
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
  std::string name;              // for people: "node7:4711"
  std::string device;            // what is offered (device/backends/device_choice.h); empty: all that suit a session
  double patience_s = 60;        // to find the session, at first and when the connection was lost
  workers::Program program;      // of its workers
  BackendOptions backend;        // this machine's folders
  CacheOptions cache;            // and caches
  std::size_t compile_jobs = 0;  // 0: as many as cores
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const std::string&)> say = {};
};

enum class AgentEnd {
  sent_home,    // the program that it worked for has ended
  not_found,    // nobody listens there, or nobody does any more
  refused,      // it has another token, or speaks another version
  interrupted,  // by `stop`
};

// Until it ends. Throws what no other machine's doing is: a program that is no worker, a full disk.
AgentEnd run_agent(const AgentOptions& options);

}  // namespace warptune::tuner::agents
