// Opens the TCP sockets of sessions and agents, with keep-alive probes.
#include "tuner/measure/agents/endpoint.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "search/error.h"

namespace warptune::tuner::agents {

namespace {

// A machine that is switched off sends nothing. TCP probes a connection after ten idle seconds, and gives it up after
// 40.
constexpr int idle_s = 10, between_s = 10, most_unanswered = 3;

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// Returns the addresses to listen at. If there are none, `reason` says why.
Addresses own_addresses(const Endpoint& endpoint, std::string& reason) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (error != 0) reason = gai_strerror(error);
  return {error == 0 ? found : nullptr, &freeaddrinfo};
}

void set_option(int socket, int level, int name, int value) {
  setsockopt(socket, level, name, &value, sizeof value);
}

void prepare(int socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);  // messages are small, and somebody waits for each
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, idle_s);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, between_s);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, most_unanswered);
}

FileDescriptor open_socket(const addrinfo& address) {
  return FileDescriptor(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

}  // namespace

FileDescriptor listen_at(const Endpoint& endpoint) {
  std::string reason;
  const Addresses addresses = own_addresses(endpoint, reason);
  for (const addrinfo* address = addresses.get(); address; address = address->ai_next) {
    FileDescriptor socket = open_socket(*address);
    if (socket.get() >= 0) set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (socket.get() >= 0 && bind(socket.get(), address->ai_addr, address->ai_addrlen) == 0 &&
        listen(socket.get(), SOMAXCONN) == 0)
      return socket;
    reason = std::strerror(errno);
  }
  throw search::Error(search::ErrorKind::usage,
                      fmt::format("cannot listen for agents on port {} of {}: {}. Name another port, or 0 for a free "
                                  "one, and an address of this machine",
                                  endpoint.port, endpoint.host, reason));
}

unsigned short port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  const auto port = address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                                  : reinterpret_cast<const sockaddr_in&>(address).sin_port;
  return ntohs(port);
}

FileDescriptor accept_from(int listener) {
  FileDescriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.get() >= 0) prepare(socket.get());
  return socket;
}

Remote remote_at(const Endpoint& endpoint) {
  return {endpoint.host, std::to_string(endpoint.port)};
}

Connected connect_to(Remote& remote, int patience_ms) {
  try {
    Connected connected{remote.connect(Deadline::in_ms(patience_ms)), {}};
    prepare(connected.socket.get());
    return connected;
  } catch (const std::runtime_error& error) {
    return {{}, error.what()};
  }
}

}  // namespace warptune::tuner::agents
