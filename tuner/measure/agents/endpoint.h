// Opens the stream sockets (TCP) at which a session waits for its agents, and those by which agents connect to it.
#pragma once

#include <string>

#include "tuner/system/file_descriptor.h"
#include "tuner/system/remote.h"

namespace warptune::tuner::agents {

struct Endpoint {
  std::string host;         // a name or an address
  unsigned short port = 0;  // 0: any free port (only for listening)
};

// Opens a socket that listens at the endpoint and does not block. Throws search::Error (usage) that says what was
// attempted and why it failed.
FileDescriptor listen_at(const Endpoint& endpoint);
unsigned short port_of(int socket);

// Returns a connection that waits at the listener; an invalid descriptor if there is none.
FileDescriptor accept_from(int listener);

Remote remote_at(const Endpoint& endpoint);

// The result of `connect_to`, which tries all addresses of the name once, for `patience_ms` at most. If none answers,
// the descriptor is invalid and `reason` says why.
struct Connected {
  FileDescriptor socket;
  std::string reason;
};
Connected connect_to(Remote& remote, int patience_ms);

}  // namespace warptune::tuner::agents
