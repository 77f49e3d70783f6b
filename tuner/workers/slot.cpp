// See slot.h.
#include "tuner/workers/slot.h"

#include <fmt/format.h>

#include <chrono>

#include "tuner/device/device_error.h"
#include "tuner/workers/codec.h"

namespace warptune::tuner::workers {

namespace {

// A process that outlives SIGKILL for so long is stuck in the kernel, and its device with it.
constexpr double most_dying_s = 60;

}  // namespace

double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string End::text() const {
  const auto last = last_words.find_last_not_of(" \r\n\t");
  const std::string words = last == std::string::npos ? "" : "; its last words: " + last_words.substr(0, last + 1);
  return describe_end(status) + words;
}

std::unique_ptr<Process> Slot::begin() {
  return std::make_unique<Process>(program_);
}

void Slot::add_to(std::vector<pollfd>& polled) {
  first_polled_ = polled.size();
  if (!process_) return;
  Channel& channel = process_->channel();
  const int wanted = POLLIN | (channel.wants_to_send() ? POLLOUT : 0);
  polled.push_back({channel.fd(), static_cast<short>(wanted), 0});
  polled.push_back({process_->output_fd(), POLLIN, 0});
}

void Slot::serve(const std::vector<pollfd>& polled) {
  if (process_ && first_polled_ + 1 < polled.size()) {
    if (polled[first_polled_ + 1].revents != 0) process_->read_output();
    if (polled[first_polled_].revents != 0) listen();
  }
  if (process_ && deadline_s_ > 0 && steady_s() > deadline_s_) end(true);
  if (dying_) bury();
  if (!process_ && !dying_ && !retired_) process_ = begin();
}

void Slot::listen() {
  Channel& channel = process_->channel();
  channel.exchange();
  try {
    while (auto message = process_ ? channel.take() : std::nullopt)
      on_answer(from_cbor(message->text), std::move(message->payload));
  } catch (const json::exception&) {
    if (process_) end(false);  // nonsense: a worker whose memory was overwritten
  }
  if (process_ && process_->channel().ended()) end(false);
}

void Slot::request(const json& request, std::string payload) {
  process_->channel().post({to_cbor(request), std::move(payload)});
  process_->channel().exchange();
}

void Slot::expect_within(double seconds) {
  deadline_s_ = seconds > 0 ? steady_s() + seconds : 0;
}

void Slot::end(bool timed_out) {
  timed_out_ = timed_out;
  deadline_s_ = 0;
  dying_ = std::move(process_);
  dying_since_s_ = steady_s();
  // One that ends by itself tells more by how it does, so it is given the moment between closing its socket and its
  // end.
  if (timed_out || !dying_->channel().ended()) dying_->kill();
}

void Slot::bury() {
  constexpr double grace_s = 0.2;
  const double dying_s = steady_s() - dying_since_s_;
  if (dying_s > grace_s) dying_->kill();
  const auto status = dying_->try_reap();
  if (!status && dying_s > most_dying_s)
    throw DeviceLostError(
        fmt::format("process {} cannot be killed: the driver holds it; see the system's log", dying_->pid()));
  if (!status) return;
  dying_->read_output();
  const End end{*status, timed_out_, dying_->last_words()};
  dying_.reset();
  on_end(end);
}

}  // namespace warptune::tuner::workers
