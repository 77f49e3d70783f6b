// `--agents` and `warptune agent`: the token that both need, and where they meet.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tuner/measure/agents/coordinator.h"
#include "tuner/program/cli/tuning/page_server.h"

namespace warptune::tuner::cli {

// $WARPTUNE_AGENT_TOKEN; empty if it is not set. Throws std::invalid_argument for one that could be guessed.
std::string agent_token();

// "node7:4711": this machine and process, for people.
std::string process_name();

// Listens at [ADDRESS:]PORT, on all addresses and a free port unless they are given, and says how agents join: with the
// environment's token, or one that is made up and said. Null without an endpoint.
std::shared_ptr<agents::Coordinator> open_agents(const std::optional<std::string>& endpoint);

}  // namespace warptune::tuner::cli
