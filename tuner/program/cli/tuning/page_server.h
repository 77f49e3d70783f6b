#pragma once

#include <memory>
#include <string>

#include "tuner/program/cli/grammar/context.h"
#include "tuner/program/serve/gate.h"
#include "tuner/program/serve/live.h"
#include "tuner/program/serve/server.h"

namespace warptune::tuner::cli {

// Where pages are asked for.
struct Endpoint {
  std::string host = "127.0.0.1";
  unsigned short port = 0;  // 0: a free one
};
// "8000", "0.0.0.0:8000", "[::1]:8000"; without a host that one. Throws std::invalid_argument.
Endpoint parse_endpoint(const std::string& text, const std::string& default_host = "127.0.0.1");

// The store's pages on a port, for as long as it lives.
class PageServer {
 public:
  // Takes the port, or throws. `live` is a session of this program, if there is one.
  PageServer(const Endpoint& endpoint, const Context& context, std::shared_ptr<serve::LiveState> live = nullptr);

  // With the token: "http://127.0.0.1:40123/?token=…".
  std::string address(const std::string& path = "/") const;
  // The last news go out, and all ends.
  void stop() { server_.stop(); }

 private:
  std::string token_;
  serve::Server server_;
};

}  // namespace warptune::tuner::cli
