// Implements as much of an HTTP client as a cache needs: GET and PUT of small bodies within a time. Each exchange has a
// connection of its own. Between machines of one site that costs a fraction of a compile, and no connection is ever
// stale. Boost.Beast reads the answers; its own streams were rejected, since a time limit there needs an event loop.
// There is no TLS, which would bring OpenSSL into every worker. Rejected: libcurl and cpp-httplib as Debian has them,
// for the same reason.
#pragma once

#include <string>
#include <string_view>

#include "tuner/system/remote.h"

namespace warptune::tuner {

// An HttpAddress is "http://cache.site:8080/warptune" in parts. parse_http_address() throws std::invalid_argument,
// which says what was expected.
struct HttpAddress {
  std::string host, port, path;  // the path begins with '/' and does not end with one; empty: the root
};
HttpAddress parse_http_address(const std::string& url);

struct HttpAnswer {
  unsigned status = 0;
  std::string reason, body;
};

// An HttpClient is safe with many threads.
class HttpClient {
 public:
  // `authorization` is the header's value; empty: none. Throws std::invalid_argument.
  HttpClient(const std::string& url, std::string authorization);

  // `name` is appended to the address's path. Throw std::runtime_error with what was attempted if there is no answer
  // within so many milliseconds, the look-up of the server's name included, and std::system_error with the system's
  // code.
  HttpAnswer get(const std::string& name, int patience_ms);
  HttpAnswer put(const std::string& name, std::string_view body, int patience_ms);

 private:
  HttpAnswer exchange(const std::string& head, std::string_view body, int patience_ms);
  std::string head(std::string_view method, const std::string& name) const;

  HttpAddress address_;
  Remote server_;
  std::string authorization_;
};

}  // namespace warptune::tuner
