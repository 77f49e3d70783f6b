// Serves the store's pages on a port.
#pragma once

#include <memory>
#include <string>

#include "tuner/program/cli/grammar/context.h"
#include "tuner/program/serve/gate.h"
#include "tuner/program/serve/live.h"
#include "tuner/program/serve/server.h"

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

}  // namespace warptune::tuner::cli
