// Receives messages, counts only the time in which the worker ran, and buries workers that end.
#include "tuner/measure/workers/slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tuner/device/device_error.h"
#include "tuner/measure/workers/codec.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::workers {

namespace {

// How long a process may outlive SIGKILL. One that takes longer is stuck in the kernel, and its device with it.
constexpr double most_dying_s = 60;

}  // namespace

std::string End::text() const {
  const auto last = last_words.find_last_not_of(" \r\n\t");
  const std::string words = last == std::string::npos ? "" : "; its last words: " + last_words.substr(0, last + 1);
  return (fault.empty() ? describe_end(status) : "was ended, because it " + fault) + words;
}

std::unique_ptr<Process> WorkerSlot::begin() {
  return std::make_unique<Process>(program_);
}

void WorkerSlot::add_to(std::vector<pollfd>& polled) {
  first_polled_ = polled.size();
  if (!process_) return;
  Channel& channel = process_->channel();
  const int wanted = POLLIN | (channel.wants_to_send() ? POLLOUT : 0);
  polled.push_back({channel.fd(), static_cast<short>(wanted), 0});
  polled.push_back({process_->output_fd(), POLLIN, 0});
}

void WorkerSlot::serve(const std::vector<pollfd>& polled) {
  if (process_ && first_polled_ + 1 < polled.size()) {
    if (polled[first_polled_ + 1].revents != 0) process_->read_output();
    if (polled[first_polled_].revents != 0) listen();
  }
  if (process_ && late()) end(true);
  if (dying_) reap_process();
  if (!process_ && !dying_ && !retired_) process_ = begin();
}

void WorkerSlot::listen() {
  Channel& channel = process_->channel();
  channel.exchange();
  try {
    while (auto message = process_ ? channel.take() : std::nullopt)
      on_answer(from_cbor(message->text), std::move(message->payload));
  } catch (const json::exception& error) {  // a worker whose memory was overwritten, or whose socket was written to
    if (process_) end(false, std::string("sent what no worker sends: ") + error.what());
  }
  if (process_ && process_->channel().broken()) end(false, "sent what is no message");
  if (process_ && process_->channel().ended()) end(false);
}

bool WorkerSlot::late() {
  constexpr double longest_s = 1;  // a longer time between looks means that this program did not run itself
  // The time between looks at the worker's state, each of which reads a file. Most compilers end before the first look.
  const double look_s = std::clamp(limit_s_ / 100, 0.05, 0.5);
  const double now_s = steady_s(), passed_s = now_s - looked_s_;
  if (limit_s_ <= 0 || passed_s < look_s) return false;
  looked_s_ = now_s;
  const Halt halt = process_->halt();
  if (halt == Halt::traced) return false;
  if (halt == Halt::stopped) {
    if ((stopped_s_ += std::min(passed_s, longest_s)) < most_stopped_s_) return false;
    process_->go_on();
  }
  left_s_ -= std::min(passed_s, longest_s);
  return left_s_ <= 0 && !waits_for_stopped();
}

// Returns whether the worker waits for a stopped process, such as a compiler. That process is continued, and the worker
// gets the whole time again. This happens only once, except for a process in a debugger.
bool WorkerSlot::waits_for_stopped() {
  const Halt halt = process_->group_halt();
  if (halt == Halt::none || (halt == Halt::stopped && std::exchange(renewed_, true))) return false;
  process_->go_on();
  left_s_ = limit_s_;
  return true;
}

void WorkerSlot::request(const json& request, std::string payload) {
  process_->channel().post({to_cbor(request), std::move(payload)});
  process_->channel().exchange();
}

void WorkerSlot::expect_within(double seconds) {
  limit_s_ = left_s_ = seconds;
  stopped_s_ = 0;
  renewed_ = false;
  looked_s_ = steady_s();
}

void WorkerSlot::end(bool timed_out, std::string fault) {
  timed_out_ = timed_out;
  fault_ = std::move(fault);
  limit_s_ = 0;
  dying_ = std::move(process_);
  dying_since_s_ = steady_s();
  // A worker that ends by itself tells more by how it ends, so it gets a moment between closing its socket and its end.
  if (timed_out || !fault_.empty() || !dying_->channel().ended()) dying_->kill();
}

void WorkerSlot::reap_process() {
  constexpr double grace_s = 0.2;
  const double dying_s = steady_s() - dying_since_s_;
  if (dying_s > grace_s) dying_->kill();
  const auto status = dying_->try_reap();
  if (!status && dying_s > most_dying_s)
    throw DeviceLostError(
        fmt::format("process {} cannot be killed: the driver holds it; see the system's log", dying_->pid()));
  if (!status) return;
  dying_->read_output();
  const End end{*status, timed_out_, dying_->last_words(), std::exchange(fault_, {})};
  dying_.reset();
  on_end(end);
}

}  // namespace warptune::tuner::workers
