// Declares the part of HTTP that a page for a team needs, as plain data: one GET in, one answer out, or a stream of
// events. The code that answers (site.h, gate.h) knows nothing of sockets, and can be tested without any; server.h puts
// it on a port.
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
  std::map<std::string, std::string> query;    // decoded; the values of equal names have commas between
  std::string query_text;                      // as it came, not decoded
  std::map<std::string, std::string> headers;  // names in lower case

  // Return the value of a name; empty if there is none.
  std::string header(const std::string& name) const;
  std::string parameter(const std::string& name) const;
};

// An event source tells browsers that stay of something that goes on. Only the server's thread asks it, several times a
// second.
class EventSource {
 public:
  virtual ~EventSource() = default;
  // Returns what came after `seen` as events of text/event-stream, and moves `seen` on; empty if nothing came. What a
  // slow reader missed is not kept for it: it gets the latest state.
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

// Parses "/a%20b?x=1&y=a+b" into its parts. Returns nothing for a target that is no absolute path or has broken
// escapes.
std::optional<Request> parse_target(std::string_view target);
// Encodes a text as a part of a query or of a path.
std::string url_encoded(std::string_view text);

}  // namespace warptune::tuner::serve
