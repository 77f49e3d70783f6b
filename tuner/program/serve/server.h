// Serves a handler on a TCP port, in one thread: pages are short, a store's connection is for one thread, and streams
// of events wait in that thread too, so that many browsers cost no more than their sockets.
//
// The server uses Boost.Beast, which Boost.Context brings along. Rejected: cpp-httplib as Debian has it, a shared
// library with OpenSSL and Brotli behind it. Each start of the program (each worker, each completion) would load them,
// and the archive for other distributions would not start where they lack that very version. It also keeps a thread for
// each stream.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "tuner/program/serve/http.h"

namespace warptune::tuner::serve {

class Server {
 public:
  // Takes the port at once; 0 means a free one. Throws search::Error (usage) that says what to do if it cannot be had.
  Server(const std::string& host, unsigned short port);
  // Ends the server, as `stop` does.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  unsigned short port() const;
  // Returns "http://127.0.0.1:8080", to which a path and the query with the token are appended.
  std::string address() const;

  // Answers in a thread of its own until `stop`. The handler and its event sources are called from that thread only.
  enum class Share { full, little };  // of the processor, where others want it: little beside a session that measures
  void start(Handler handler, Share share = Share::full);
  // Ends the server. Browsers that follow a stream have at most 5 s to take its end; then all ends.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptune::tuner::serve
