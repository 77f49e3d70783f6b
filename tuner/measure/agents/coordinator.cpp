// Lets agents in, limits the number of strangers, and exchanges messages with all connections.
#include "tuner/measure/agents/coordinator.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "tuner/system/clock.h"

namespace warptune::tuner::agents {

namespace {

// Returns the most connections to accept: half of the descriptors that this process may have. The other half is for its
// workers and files.
std::size_t most_connections() {
  constexpr rlim_t most = 4096;
  rlimit descriptors{};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return most / 4;
  return static_cast<std::size_t>(std::min(most, descriptors.rlim_cur / 2));
}

// How long a stranger may be silent when the places for strangers are full. Everybody can connect, so those who have
// not said who they are by then make room for others.
constexpr double most_silent_when_crowded_s = 1;

bool is_stranger(const std::unique_ptr<AgentConnection>& connection) {
  return connection->state() == AgentConnection::State::greeting;
}

// How long the destructor waits for agents to hear that the program ends.
constexpr double most_farewell_s = 3;

}  // namespace

Coordinator::Coordinator(const Endpoint& endpoint, std::string token, std::function<void(const std::string&)> say)
    : token_(std::move(token)), say_(std::move(say)), listener_(listen_at(endpoint)), most_(most_connections()) {}

// Waits for the agents to hang up first. A connection that is closed with unread data is reset, and what was just sent
// is lost with it.
Coordinator::~Coordinator() {
  for (auto& connection : connections_) connection->leave();
  const auto is_there = [](const auto& connection) { return connection->gone().empty() && !is_stranger(connection); };
  for (const Deadline deadline = Deadline::in_s(most_farewell_s); !deadline.has_passed();) {
    if (std::ranges::none_of(connections_, is_there)) return;
    std::vector<pollfd> polled;
    for (auto& connection : connections_)
      if (is_there(connection)) polled.push_back(connection->polled());
    poll(polled.data(), polled.size(), 100);
    for (auto& connection : connections_) connection->exchange();
  }
}

void Coordinator::add_to(std::vector<pollfd>& polled) const {
  if (has_room())
    polled.push_back({listener_.get(), POLLIN, 0});  // without room, a waiting connection would wake the poll in vain
  for (const auto& connection : connections_) polled.push_back(connection->polled());
}

// Returns whether another stranger is let in. Strangers get at most half of the places, so that they cannot take those
// of agents.
bool Coordinator::has_room() const {
  const auto strangers = static_cast<std::size_t>(std::ranges::count_if(connections_, is_stranger));
  return connections_.size() < most_ && strangers < most_ / 2;
}

void Coordinator::let_in() {
  if (!has_room())
    for (auto& connection : connections_)
      if (is_stranger(connection) && connection->silent_s() > most_silent_when_crowded_s)
        connection->lose("it did not say who it is, and others wait");
  while (has_room()) {
    FileDescriptor socket = accept_from(listener_.get());
    if (socket.get() < 0) return;
    connections_.push_back(std::make_unique<AgentConnection>(std::move(socket), token_));
  }
}

void Coordinator::serve(Employer& employer) {
  let_in();
  for (auto& connection : connections_) {
    const bool known = !is_stranger(connection);
    connection->exchange();
    try {
      while (const auto answer = connection->next_answer()) employer.on_answer(*connection, *answer);
    } catch (const json::exception& error) {
      connection->lose(fmt::format("it said what cannot be: {}", error.what()));
    }
    if (!known && !is_stranger(connection)) connection->exchange();  // sends its welcome
    if (!connection->gone().empty()) employer.on_gone(*connection);
  }
  std::erase_if(connections_, [](const auto& connection) { return !connection->gone().empty(); });
}

}  // namespace warptune::tuner::agents
