// Serves the page of `tune --serve`.
#pragma once

#include <optional>
#include <string>

#include "tuner/program/cli/tuning/page_server.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

// Serves the page of `tune --serve`. It says its address at once, and ends with the object; browsers keep the last
// state. Without an endpoint it does nothing.
class LivePage {
 public:
  // `endpoint` is [ADDRESS:]PORT, empty for a free port.
  LivePage(const std::optional<std::string>& endpoint, const Context& context);
  ~LivePage();
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;

  // Returns the observer of the next session. What the observer is told is passed on to `next`.
  SessionObserver& watch(SessionObserver& next);
  // Sets what is known only once the tuning is prepared.
  void set_tuning(const Tuning& tuning);
  // Tells the page how a session went. The next may follow.
  void finish(const SessionResult& result);

 private:
  std::shared_ptr<serve::LiveState> state_;
  std::optional<serve::LiveObserver> observer_;
  std::optional<PageServer> server_;
};

}  // namespace warptune::tuner::cli
