// See coordinator.h.
#include "tuner/agents/coordinator.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptune::tuner::agents {

namespace {

// Strangers can connect, too, until they are found to be that.
constexpr std::size_t most_members = 4096;

}  // namespace

Coordinator::Coordinator(const Endpoint& endpoint, std::string token, std::function<void(const std::string&)> say)
    : token_(std::move(token)), say_(std::move(say)), listener_(listen_at(endpoint)) {}

Coordinator::~Coordinator() {
  for (auto& member : members_) member->leave();
}

void Coordinator::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({listener_.get(), POLLIN, 0});
  for (const auto& member : members_) polled.push_back(member->polled());
}

void Coordinator::let_in() {
  while (members_.size() < most_members) {
    FileDescriptor socket = accept_from(listener_.get());
    if (socket.get() < 0) return;
    members_.push_back(std::make_unique<Member>(std::move(socket), token_));
  }
}

void Coordinator::serve(Employer& employer) {
  let_in();
  for (auto& member : members_) {
    const bool known = member->state() != Member::State::greeting;
    member->exchange();
    try {
      while (const auto answer = member->next_answer()) employer.on_answer(*member, *answer);
    } catch (const json::exception& error) {
      member->lose(fmt::format("it said what cannot be: {}", error.what()));
    }
    if (!known && member->state() != Member::State::greeting) member->exchange();  // its welcome
    if (!member->gone().empty()) employer.on_gone(*member);
  }
  std::erase_if(members_, [](const auto& member) { return !member->gone().empty(); });
}

}  // namespace warptune::tuner::agents
