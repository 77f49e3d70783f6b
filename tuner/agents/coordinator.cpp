// See coordinator.h.
#include "tuner/agents/coordinator.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/device/clock.h"

namespace warptune::tuner::agents {

namespace {

// Strangers can connect, too, until they are found to be that.
constexpr std::size_t most_members = 4096;
// For agents to hear that the program ends.
constexpr double most_farewell_s = 3;

}  // namespace

Coordinator::Coordinator(const Endpoint& endpoint, std::string token, std::function<void(const std::string&)> say)
    : token_(std::move(token)), say_(std::move(say)), listener_(listen_at(endpoint)) {}

// A connection that is closed with something unread is reset, and what was just sent is lost with it: they are to hang
// up first.
Coordinator::~Coordinator() {
  for (auto& member : members_) member->leave();
  const auto is_there = [](const auto& member) {
    return member->gone().empty() && member->state() != Member::State::greeting;
  };
  for (const double until_s = steady_s() + most_farewell_s; steady_s() < until_s;) {
    if (std::ranges::none_of(members_, is_there)) return;
    std::vector<pollfd> polled;
    for (auto& member : members_)
      if (is_there(member)) polled.push_back(member->polled());
    poll(polled.data(), polled.size(), 100);
    for (auto& member : members_) member->exchange();
  }
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
