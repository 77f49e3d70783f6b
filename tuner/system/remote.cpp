// Looks names up on threads of their own, and connects by sockets that do not block.
#include "tuner/system/remote.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace warptune::tuner {

namespace {

[[noreturn]] void fail(const std::string& attempted, int error = errno) {
  throw std::system_error(error, std::generic_category(), attempted);
}

FileDescriptor connect_to(const addrinfo& address, const Deadline& deadline, const std::string& attempted) {
  FileDescriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) fail(attempted);
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return socket;
  if (errno != EINPROGRESS) fail(attempted);
  wait_for_socket(socket.get(), POLLOUT, deadline, attempted);
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) fail(attempted, error);
  return socket;
}

// Starts a detached thread with all signals blocked, since signals are the main thread's.
template <class Action>
void detach_without_signals(Action action) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(std::move(action)).detach();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void wait_for_socket(int socket, short events, const Deadline& deadline, const std::string& attempted) {
  for (;;) {
    pollfd polled{socket, events, 0};
    const int ready = deadline.has_passed() ? 0 : poll(&polled, 1, deadline.left_ms());
    if (ready > 0) return;
    if (ready == 0) fail(attempted, ETIMEDOUT);
    if (errno != EINTR) fail(attempted);
  }
}

// A LookUp is shared with the thread that asks, which may outlive whoever waits for it.
struct Remote::LookUp {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<int> error;  // once there is an answer
  std::shared_ptr<const addrinfo> found;
  std::optional<double> gave_up_s;  // when somebody's time was up, or the answer was an error

  void answer(int result, addrinfo* list) {
    const std::lock_guard lock(mutex);
    error = result;
    if (result == 0)
      found = {list, [](const addrinfo* all) { freeaddrinfo(const_cast<addrinfo*>(all)); }};
    else
      gave_up_s = steady_s();
    changed.notify_all();
  }
};

Remote::Resolve Remote::system_resolver() {
  return [](const std::string& host, const std::string& port, addrinfo** found) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    return getaddrinfo(host.c_str(), port.c_str(), &hints, found);
  };
}

Remote::Remote(std::string host, std::string port, Resolve resolve, std::chrono::duration<double> keep_failure)
    : host_(std::move(host)), port_(std::move(port)), resolve_(std::move(resolve)), keep_failure_(keep_failure) {}

// Returns the latest look-up, or begins a new one if that failed long enough ago. An address in numbers needs no
// thread.
std::shared_ptr<Remote::LookUp> Remote::look_up() {
  const std::lock_guard lock(mutex_);
  if (latest_) {
    const std::lock_guard its_lock(latest_->mutex);
    const bool failed = latest_->error.value_or(0) != 0;
    if (!failed || steady_s() - *latest_->gave_up_s < keep_failure_.count()) return latest_;
  }
  latest_ = std::make_shared<LookUp>();
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  if (getaddrinfo(host_.c_str(), port_.c_str(), &hints, &found) == 0)
    latest_->answer(0, found);
  else
    detach_without_signals([asked = latest_, resolve = resolve_, host = host_, port = port_] {
      addrinfo* list = nullptr;
      const int error = resolve(host, port, &list);
      asked->answer(error, list);
    });
  return latest_;
}

// Waits for a look-up. If it is still under way when somebody's time is up, it keeps nobody else waiting for a while.
std::shared_ptr<const addrinfo> Remote::addresses(const Deadline& deadline) {
  const auto asked = look_up();
  const std::string attempted = "looking for " + host_;
  std::unique_lock lock(asked->mutex);
  const auto answered = [&] { return asked->error.has_value(); };
  const bool waits = !asked->gave_up_s || steady_s() - *asked->gave_up_s >= keep_failure_.count();
  if (!(waits ? asked->changed.wait_for(lock, std::chrono::duration<double>(deadline.left_s()), answered)
              : answered())) {
    if (waits) asked->gave_up_s = steady_s();
    fail(attempted, ETIMEDOUT);
  }
  if (*asked->error == 0) return asked->found;
  throw std::runtime_error(fmt::format("{}: {} ({})", attempted, gai_strerror(*asked->error), *asked->error));
}

FileDescriptor Remote::connect(const Deadline& deadline) {
  const auto found = addresses(deadline);
  const std::string attempted = fmt::format("connecting to {}:{}", host_, port_);
  for (const addrinfo* address = found.get();; address = address->ai_next) {
    try {
      return connect_to(*address, deadline, attempted);
    } catch (const std::system_error&) {
      if (address->ai_next) continue;
      const std::lock_guard lock(mutex_);
      latest_.reset();  // the server may have moved
      throw;
    }
  }
}

}  // namespace warptune::tuner
