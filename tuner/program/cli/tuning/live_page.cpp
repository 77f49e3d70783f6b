// Starts the server of the live page, and hands it what sessions tell.
#include "tuner/program/cli/tuning/live_page.h"

#include <fmt/format.h>

namespace warptune::tuner::cli {

LivePage::LivePage(const std::optional<std::string>& endpoint, const Context& context) {
  if (!endpoint) return;
  state_ = std::make_shared<serve::LiveState>();
  server_.emplace(parse_endpoint(*endpoint), context, state_);
  say("live page: " + server_->address("/live"));
}

LivePage::~LivePage() {
  if (!state_) return;
  serve::LiveNote note = *state_->now();
  note.phase = "ended";
  state_->leave(std::move(note));
}

SessionObserver& LivePage::watch(SessionObserver& next) {
  return server_ ? observer_.emplace(*state_, next) : next;
}

void LivePage::set_tuning(const Tuning& tuning) {
  if (!observer_) return;
  const std::string size = tuning.problem().text();
  observer_->set_tuning(
      tuning.kernel(),
      fmt::format("{}{}{} on {}", tuning.kernel().name, size.empty() ? "" : " for ", size, tuning.device().name),
      tuning.id(), tuning.request().budget.seconds);
}

void LivePage::finish(const SessionResult& result) {
  if (observer_) observer_->finish(result);
}

}  // namespace warptune::tuner::cli
