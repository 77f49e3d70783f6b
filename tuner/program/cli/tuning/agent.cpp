// Implements `warptune agent`, which lends this machine's devices to a session on another machine.
#include "tuner/measure/agents/agent.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/numbers.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/shared_cache.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/agents.h"
#include "tuner/program/cli/tuning/measuring.h"
#include "tuner/system/machine.h"

namespace warptune::tuner::cli {

namespace {

struct AgentArguments {
  std::string endpoint;
  std::string device;
  double patience_s = 60;
  bool no_cache = false;
  SharedCacheArguments shared_cache;
  EvaluatorOptions evaluator;
};

agents::Endpoint session_at(const std::string& text) {
  try {
    const Endpoint endpoint = parse_endpoint(text, "");
    if (!endpoint.host.empty() && endpoint.port != 0) return {endpoint.host, endpoint.port};
  } catch (const std::invalid_argument&) {
    // The message of that error would speak of ports to listen on.
  }
  throw std::invalid_argument(
      fmt::format("'{}' does not say where the session is: expected HOST:PORT, as `warptune tune --agents` says it, "
                  "and as in node1:7117 or [::1]:7117",
                  text));
}

int exit_code_of(agents::AgentEnd end) {
  switch (end) {
    case agents::AgentEnd::sent_home:
      return success;
    case agents::AgentEnd::not_found:
      return work_not_done;
    case agents::AgentEnd::refused:
      return usage_error;
    default:
      return interrupted;
  }
}

void run_agent(const AgentArguments& arguments, Context& context) {
  agents::AgentOptions options;
  options.coordinator = session_at(arguments.endpoint);
  options.token = agent_token();
  if (options.token.empty())
    throw std::invalid_argument(
        "WARPTUNE_AGENT_TOKEN is not set: the session says its token when it starts, or has the one that its own "
        "environment has");
  const Interrupt interrupt;
  const EvaluatorOptions here = with_environment(arguments.evaluator);
  options.name = process_name();
  options.device = arguments.device;
  options.patience_s = arguments.patience_s;
  options.program = worker_program();
  options.backend = here.backend;
  options.compile_jobs = here.compile_jobs;
  if (!arguments.no_cache) {
    options.cache = cache_of_user();
    options.cache.shared = shared_cache(arguments.shared_cache);
  }
  options.stop = &interrupt.flag();
  options.say = [](const std::string& text) { say(text); };
  context.exit_code = exit_code_of(agents::run_agent(options));
}

}  // namespace

void add_agent(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("agent", "Lend this machine's devices to a session on another machine");
  auto options = std::make_shared<AgentArguments>();
  verb->add_option("session", options->endpoint,
                   "HOST:PORT where `warptune tune --agents` listens; its token is taken from $WARPTUNE_AGENT_TOKEN")
      ->required()
      ->type_name("SESSION");
  verb->add_option("--device", options->device, "devices to lend; default: all devices of the session's model")
      ->type_name("DEVICE");
  verb->add_option("--patience", options->patience_s,
                   "how long to look for the session, at first and after a lost connection")
      ->check(real(0, most_seconds))
      ->type_name("SECONDS")
      ->capture_default_str();
  add_compile_jobs_option(*verb, options->evaluator);
  verb->add_flag("--no-cache", options->no_cache, "compile everything, keep nothing")->group(group::compiling);
  add_shared_cache_options(*verb, options->shared_cache);
  verb->group(verbs::tune);
  add_examples(*verb, {{"on each node of a Slurm job but the first, which tunes",
                        "warptune agent node1:7117 --device cuda:all"}});
  verb->callback([options, &context] { run_agent(*options, context); });
}

}  // namespace warptune::tuner::cli
