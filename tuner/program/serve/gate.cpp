// Checks the method, host and token of requests, and adds protecting headers to answers.
#include "tuner/program/serve/gate.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "search/plain_text.h"
#include "tuner/program/serve/html.h"
#include "tuner/system/crypto.h"
#include "tuner/system/machine.h"

namespace warptune::tuner::serve {

namespace {

constexpr std::string_view bearer = "Bearer ";

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

// Returns whether a browser asks for a person, who first gets a page that goes on. A program gets what it asked for at
// once.
bool is_browser(const Request& request) {
  const std::string destination = request.header("sec-fetch-dest");
  if (!destination.empty()) return destination == "document";
  return request.header("accept").find("text/html") != std::string::npos;
}

// Returns the target without the token, which shall not stay in the address, the history or a screenshot.
std::string target_without_token(const Request& request) {
  std::string target, mark = "?";
  for (const char c : request.path) target += c == '/' ? "/" : url_encoded(std::string_view(&c, 1));
  // A target that begins with two slashes would be another host.
  while (target.starts_with("//")) target.erase(0, 1);
  for (const auto& [name, value] : request.query) {
    if (name == "token") continue;
    target += mark + url_encoded(name) + '=' + url_encoded(value);
    mark = "&";
  }
  return target;
}

void add_protection(Response& response) {
  const auto add = [&](const char* name, const char* value) {
    const bool there = std::ranges::any_of(response.headers, [&](const auto& one) { return one.first == name; });
    if (!there) response.headers.emplace_back(name, value);
  };
  add("Content-Security-Policy",
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:;"
      " frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
  add("X-Content-Type-Options", "nosniff");
  add("X-Frame-Options", "DENY");
  add("Referrer-Policy", "no-referrer");
  add("Cross-Origin-Opener-Policy", "same-origin");
  add("Cross-Origin-Resource-Policy", "same-origin");
  add("Cache-Control", "no-store");
}

}  // namespace

std::string host_of(std::string_view header) {
  if (header.starts_with('[')) return std::string(header.substr(1, std::min(header.find(']'), header.size()) - 1));
  return std::string(header.substr(0, header.find(':')));
}

Gate::Gate(std::string token, std::string host, unsigned port)
    : token_(std::move(token)),
      host_(search::lower_case(std::move(host))),
      cookie_name_(fmt::format("warptune_{}", port)) {}

// Returns whether the host is a name of this machine (against DNS rebinding). A rebound name is a foreign one that
// leads here; an address cannot be rebound. Ports may differ: a tunnel's often do.
bool Gate::is_own_name(const std::string& host_header) const {
  const std::string name = search::lower_case(host_of(host_header));
  return !name.empty() &&
         (name == "localhost" || name == host_ || is_address(name) || name == search::lower_case(host_name()));
}

std::string Gate::cookie_of(const Request& request) const {
  const std::string cookies = "; " + request.header("cookie");
  const std::string start = "; " + cookie_name_ + "=";
  const std::size_t found = cookies.find(start);
  if (found == std::string::npos) return {};
  const std::size_t begin = found + start.size();
  return cookies.substr(begin, std::min(cookies.find(';', begin), cookies.size()) - begin);
}

bool Gate::has_token(const Request& request) const {
  const std::string authorization = request.header("authorization");
  const std::string borne = authorization.starts_with(bearer) ? authorization.substr(bearer.size()) : "";
  bool known = false;  // no short circuit: each is compared
  for (const std::string& given : {request.parameter("token"), borne, cookie_of(request)})
    known |= equal_in_constant_time(given, token_);
  return known;
}

std::optional<Response> Gate::refusal(const Request& request) const {
  if (request.method != "GET")
    return Response{405, "text/plain; charset=utf-8", "these pages are only read: GET\n", {{"Allow", "GET"}}};
  if (!is_own_name(request.header("host")))
    return Response{403, "text/plain; charset=utf-8",
                    "the address names another machine than this one; use its IP address, or start the server with"
                    " --host NAME\n"};
  if (!has_token(request))
    return Response{
        403, "text/html; charset=utf-8",
        bare_page("Not open", paragraph("This page needs its token. Open the whole address that the program printed,"
                                        " which ends with ?token=…"))};
  return std::nullopt;
}

// Sets the cookie and goes on from a page of this site: after a redirect from another site (a chat, a wiki), a browser
// would withhold a strict cookie.
Response Gate::entrance(const Request& request) const {
  const std::string target = target_without_token(request);
  Response response;
  response.headers = {{"Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name_, token_)},
                      {"Refresh", "0; url=" + target}};
  response.body = bare_page("Warptune", paragraph(link(target, "Go on to the page")));
  return response;
}

Handler Gate::guard(Handler inner) const {
  return [gate = *this, inner = std::move(inner)](const Request& request) {
    std::optional<Response> response = gate.refusal(request);
    if (!response && request.query.contains("token") && is_browser(request)) response = gate.entrance(request);
    if (!response) response = inner(request);
    add_protection(*response);
    return std::move(*response);
  };
}

}  // namespace warptune::tuner::serve
