// Reads the token, and opens the coordinator that agents join.
#include "tuner/program/cli/tuning/agents.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "tuner/program/cli/terminal/output.h"
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

}  // namespace warptune::tuner::cli
