// Reads both streams of the child with poll until they end, or until the deadline.
#include "tuner/device/backends/host/compile/child_process.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>

#include "tuner/device/backends/host/compile/memory_file.h"
#include "tuner/system/child.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::host {

namespace {

// Returns the time to the deadline as poll takes it: -1, which is no limit, for an infinite deadline.
int remaining_ms(double deadline_s) {
  if (std::isinf(deadline_s)) return -1;
  return static_cast<int>(std::clamp(std::ceil(1e3 * (deadline_s - steady_s())), 0.0, 1e9));
}

// Reads one stream of the child to its end, and keeps it up to a bound.
struct Stream {
  FileDescriptor from;
  std::string& to;
  std::size_t bound;
  bool cut = false;

  void read_some() {
    std::array<char, 65536> buffer;
    const ssize_t n = read(from.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) return from.reset();
    const std::size_t room = bound - std::min(bound, to.size());
    to.append(buffer.data(), std::min(room, static_cast<std::size_t>(n)));
    cut |= static_cast<std::size_t>(n) > room;
  }
};

// Returns false if the deadline came before the end of both streams.
bool read_all(std::array<Stream, 2>& streams, double deadline_s) {
  for (;;) {
    std::array<pollfd, 2> polled{};
    for (std::size_t i = 0; i < 2; ++i) polled[i] = {streams[i].from.get(), POLLIN, 0};
    if (polled[0].fd < 0 && polled[1].fd < 0) return true;
    const int ready = poll(polled.data(), polled.size(), remaining_ms(deadline_s));
    if (ready == 0) return false;
    for (std::size_t i = 0; i < 2 && ready > 0; ++i) {
      if (polled[i].revents != 0) streams[i].read_some();
    }
  }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, std::string_view input, const ChildLimits& limits) {
  const FileDescriptor in = memory_file("input", input.data(), input.size());
  Pipe out, err;
  const double deadline_s = steady_s() + limits.timeout_s;
  Child child = Child::start({.command = command,
                              .environment = environment_with({"LC_ALL=C"}),  // messages are shown and searched for
                              .descriptors = {{in.get(), 0}, {out.write.get(), 1}, {err.write.get(), 2}}},
                             std::isinf(limits.timeout_s) ? ChildGroup::ours : ChildGroup::own);
  out.write.reset();
  err.write.reset();
  ChildResult result;
  std::array<Stream, 2> streams{Stream{std::move(out.read), result.output, limits.output_bytes},
                                Stream{std::move(err.read), result.log, limits.log_bytes}};
  // A child may close its streams and go on.
  result.timed_out = !read_all(streams, deadline_s) || !child.ends_by(deadline_s);
  if (result.timed_out) child.kill();
  result.exit_status = exit_code_of(child.reap());
  if (streams[1].cut) result.log += "\n[further messages left out]\n";
  return result;
}

}  // namespace warptune::tuner::host
