// Serves the store's pages on a port: for `warptune serve`, and for `tune --serve` with the session that runs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tuner/program/cli/grammar/context.h"
#include "tuner/program/serve/gate.h"
#include "tuner/program/serve/live.h"
#include "tuner/program/serve/server.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

// An endpoint is the address and the port where pages are asked for.
struct Endpoint {
  std::string host = "127.0.0.1";
  unsigned short port = 0;  // 0: a free one
};
// Parses "8000", "0.0.0.0:8000" or "[::1]:8000". Without a host it takes the default one. Throws std::invalid_argument.
Endpoint parse_endpoint(const std::string& text, const std::string& default_host = "127.0.0.1");

// Serves the store's pages on a port, for as long as it lives.
class PageServer {
 public:
  // Takes the port, or throws. `live` is a session of this program, if there is one.
  PageServer(const Endpoint& endpoint, const Context& context, std::shared_ptr<serve::LiveState> live = nullptr);

  // Returns the address with the token: "http://127.0.0.1:40123/?token=…".
  std::string address(const std::string& path = "/") const;
  // Sends the last news, and ends the server.
  void stop() { server_.stop(); }

 private:
  std::string token_;
  serve::Server server_;
};

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
