// Provides the token that `--agents` and `warptune agent` both need, and the place where they meet.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tuner/measure/agents/coordinator.h"
#include "tuner/program/cli/tuning/page_server.h"

namespace warptune::tuner::cli {

// Returns $WARPTUNE_AGENT_TOKEN; empty if it is not set. Throws std::invalid_argument for one that could be guessed.
std::string agent_token();

// Listens at [ADDRESS:]PORT, on all addresses and a free port unless they are given, and says how agents join: with the
// environment's token, or with a new random one, which it also says. Returns null without an endpoint.
std::shared_ptr<agents::Coordinator> open_agents(const std::optional<std::string>& endpoint);

}  // namespace warptune::tuner::cli
