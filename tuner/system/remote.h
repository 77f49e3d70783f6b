// Connects to a server that is known by its name, within a deadline that counts the look-up of the name, too. The
// resolver has time limits of its own (resolv.conf), tens of seconds, and cannot be interrupted. So it is asked on a
// thread of its own, which is left to itself when the time is up. Rejected: getaddrinfo_a, which starts such a thread
// as well, and is in GNU's C library alone.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "tuner/system/clock.h"
#include "tuner/system/file_descriptor.h"

struct addrinfo;

namespace warptune::tuner {

// Waits until the socket is ready for these events of poll(). Throws std::system_error with ETIMEDOUT, or poll()'s
// code, and `attempted`.
void wait_for_socket(int socket, short events, const Deadline& deadline, const std::string& attempted);

// A Remote is a host and a port. It is safe with many threads.
class Remote {
 public:
  // Resolves a name as getaddrinfo(host, port, a stream's hints, found) does. Returns 0, or an error for
  // gai_strerror().
  using Resolve = std::function<int(const std::string& host, const std::string& port, addrinfo** found)>;
  static constexpr std::chrono::seconds failure_kept{10};

  // A look-up that failed, or took too long, is not tried again for `keep_failure`.
  Remote(std::string host, std::string port, Resolve resolve = system_resolver(),
         std::chrono::duration<double> keep_failure = failure_kept);

  // Returns a socket that does not block, to the first address that answers. Addresses are kept as long as one of them
  // answers. Throws std::runtime_error with what was attempted, and std::system_error with the system's code.
  FileDescriptor connect(const Deadline& deadline);

  static Resolve system_resolver();

 private:
  struct LookUp;
  std::shared_ptr<LookUp> look_up();
  std::shared_ptr<const addrinfo> addresses(const Deadline& deadline);

  const std::string host_, port_;
  const Resolve resolve_;
  const std::chrono::duration<double> keep_failure_;
  std::mutex mutex_;
  std::shared_ptr<LookUp> latest_;
};

}  // namespace warptune::tuner
