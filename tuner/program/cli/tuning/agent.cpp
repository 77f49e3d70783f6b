// Implements `warptune agent`, which lends this machine's devices to a session on another machine. Reads the token that
// both need, and opens the coordinator that agents join.
#include "tuner/program/cli/tuning/agent.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "tuner/measure/agents/agent.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/shared_cache.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/program/cli/tuning/measuring.h"
#include "tuner/system/crypto.h"
#include "tuner/system/machine.h"

namespace warptune::tuner::cli {

namespace {

constexpr char token_variable[] = "WARPTUNE_AGENT_TOKEN";
constexpr std::size_t least_token = 16;

}  // namespace

std::string agent_token() {
  const char* set = std::getenv(token_variable);
  const std::string token = set ? set : "";
  if (!token.empty() && token.size() < least_token)
    throw std::invalid_argument(fmt::format(
        "the token in {} has {} characters and could be guessed: take {} or more, as from `openssl rand -hex 16`",
        token_variable, token.size(), least_token));
  return token;
}

std::shared_ptr<agents::Coordinator> open_agents(const std::optional<std::string>& endpoint) {
  if (!endpoint) return nullptr;
  const Endpoint wanted = parse_endpoint(*endpoint, "0.0.0.0");
  const std::string given = agent_token();
  const std::string token = given.empty() ? random_token() : given;
  auto coordinator = std::make_shared<agents::Coordinator>(agents::Endpoint{wanted.host, wanted.port}, token,
                                                           [](const std::string& text) { say(text); });
  const std::string host = wanted.host == "0.0.0.0" || wanted.host == "::" ? host_name() : wanted.host;
  say(fmt::format("agents join with: {}warptune agent {}:{}",
                  given.empty() ? fmt::format("{}={} ", token_variable, token) : "", host, coordinator->port()));
  return coordinator;
}

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
