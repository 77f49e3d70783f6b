// The part of HTTP that a page for a team needs, as plain data: one GET in, one answer out, or a stream of events. What
// answers (site.h, gate.h) knows nothing of sockets, and can be tested without any; server.h puts it on a port.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune::tuner::serve {

struct Request {
  std::string method = "GET";
  std::string path = "/";                      // decoded, without the query
  std::map<std::string, std::string> query;    // decoded; of equal names all, with commas between
  std::string query_text;                      // as it came
  std::map<std::string, std::string> headers;  // names in lower case

  // Empty if there is none.
  std::string header(const std::string& name) const;
  std::string parameter(const std::string& name) const;
};

// Something that goes on, for browsers that stay: asked several times a second, by the server's thread alone.
class EventSource {
 public:
  virtual ~EventSource() = default;
  // Events as text/event-stream has them, of what came after `seen`, which moves on; empty if nothing did. What a slow
  // reader missed is not kept for it: it gets the latest state.
  virtual std::string news(std::uint64_t& seen) = 0;
};

struct Response {
  unsigned status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::shared_ptr<EventSource> events = nullptr;  // instead of the body
};

using Handler = std::function<Response(const Request&)>;

// "/a%20b?x=1&y=a+b" in its parts. Nothing for a target that is no absolute path or has broken escapes.
std::optional<Request> parse_target(std::string_view target);
// As a part of a query or of a path.
std::string url_encoded(std::string_view text);

}  // namespace warptune::tuner::serve
