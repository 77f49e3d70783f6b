// Lets only those see the pages who have the token of the address that the program printed. A store says what a team
// works on, and any page in a browser, and any user of the machine, can reach a port of it.
#pragma once

#include "tuner/program/serve/http.h"

namespace warptune::tuner::serve {

class Gate {
 public:
  // `host` is what the server listens on; `port` tells apart the cookies of several servers of one host.
  Gate(std::string token, std::string host, unsigned port);

  // Guards a handler: it answers only GET, only under a name of this machine (against DNS rebinding), and only with the
  // token, which is taken from the query, from `Authorization: Bearer`, or from the cookie that the first page sets.
  // All answers get the headers that keep them from other sites.
  Handler guard(Handler inner) const;

 private:
  std::optional<Response> refusal(const Request& request) const;
  bool is_own_name(const std::string& host_header) const;
  bool has_token(const Request& request) const;
  std::string cookie_of(const Request& request) const;
  Response entrance(const Request& request) const;

  std::string token_, host_, cookie_name_;
};

// Returns "::1" of "[::1]:80", and "localhost" of "localhost:80".
std::string host_of(std::string_view host_header);

}  // namespace warptune::tuner::serve
