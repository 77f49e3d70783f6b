// Where a session waits for its agents, and how one gets there: stream sockets over TCP.
#pragma once

#include <string>

#include "tuner/system/file_descriptor.h"
#include "tuner/system/remote.h"

namespace warptune::tuner::agents {

struct Endpoint {
  std::string host;         // a name or an address
  unsigned short port = 0;  // 0: a free one, for who listens
};

// Not blocking. Each throws search::Error (usage) that says what was attempted and why it failed.
FileDescriptor listen_at(const Endpoint& endpoint);
unsigned short port_of(int socket);

// A connection that waits; invalid if there is none.
FileDescriptor accept_from(int listener);

Remote remote_at(const Endpoint& endpoint);

// Tries all addresses of the name once, for so long at most. An invalid descriptor, and why, if none answers.
struct Connected {
  FileDescriptor socket;
  std::string reason;
};
Connected connect_to(Remote& remote, int patience_ms);

}  // namespace warptune::tuner::agents
