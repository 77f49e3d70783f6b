// Writes and reads frames on a socket; wire_format.md has their layout.
#include "tuner/measure/workers/channel.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

#include "tuner/system/crypto.h"

namespace warptune::tuner::workers {

namespace {

// The head of a frame. It travels as it lies in memory, since both ends are the same program on the same kind of
// machine.
struct Header {
  std::uint32_t mark = 0x33475457;  // "WTG3"
  std::uint32_t text_bytes = 0;
  std::uint64_t payload_bytes = 0;
  SipBytes code = {};
};

constexpr std::uint32_t most_text_bytes = std::uint32_t{64} << 20;
constexpr std::uint64_t most_payload_bytes = std::uint64_t{1} << 30;

bool plausible(const Header& header, std::uint64_t most_bytes) {
  if (header.mark != Header{}.mark) return false;
  if (most_bytes > 0) return header.text_bytes <= most_bytes && header.payload_bytes <= most_bytes;
  return header.text_bytes <= most_text_bytes && header.payload_bytes <= most_payload_bytes;
}

// Returns the code of a frame. It depends on the key, the sender's side, the number of the frame and its contents.
SipBytes code_of(const Header& header, const ChannelKey& key, Side from, std::uint64_t number, std::string_view text,
                 std::string_view payload) {
  const struct {
    std::uint64_t from, number, text_bytes, payload_bytes;
    SipBytes text, payload;
  } all{static_cast<std::uint64_t>(from),
        number,
        header.text_bytes,
        header.payload_bytes,
        siphash(key, text),
        siphash(key, payload)};
  return siphash(key, {reinterpret_cast<const char*>(&all), sizeof all});
}

bool equal_in_constant_time(const SipBytes& a, const SipBytes& b) {
  unsigned differs = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differs |= static_cast<unsigned>(a[i] ^ b[i]);
  return differs == 0;
}

Side opposite(Side side) {
  return side == Side::program ? Side::worker : Side::program;
}

void wait_for(int fd, short events) {
  pollfd polled{fd, events, 0};
  poll(&polled, 1, -1);
}

}  // namespace

ChannelKey random_channel_key() {
  ChannelKey key{};
  if (getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
    throw std::system_error(errno, std::generic_category(), "cannot get random bytes for a worker's channel");
  return key;
}

void Channel::send_key() {
  outgoing_.append(reinterpret_cast<const char*>(key_.data()), key_.size());
}

bool Channel::receive_key() {
  constexpr int patience_ms = 10'000;
  pollfd polled{fd(), POLLIN, 0};
  while (incoming_.size() < key_.size() && !ended_) {
    if (poll(&polled, 1, patience_ms) == 0) return false;
    receive_some();
  }
  if (incoming_.size() < key_.size()) return false;
  std::memcpy(key_.data(), incoming_.data(), key_.size());
  incoming_.erase(0, key_.size());
  return true;
}

void Channel::post(const Message& message) {
  Header header{Header{}.mark, static_cast<std::uint32_t>(message.text.size()), message.payload.size()};
  header.code = code_of(header, key_, side_, posted_++, message.text, message.payload);
  outgoing_.append(reinterpret_cast<const char*>(&header), sizeof header);
  outgoing_ += message.text;
  outgoing_ += message.payload;
}

void Channel::exchange() {
  receive_some();
  send_some();
}

void Channel::send_some() {
  while (wants_to_send()) {
    const ssize_t n = ::send(fd(), outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n < 0) {
      ended_ = true;
      return;
    }
    sent_ += static_cast<std::size_t>(n);
    if (sent_ < outgoing_.size()) continue;
    outgoing_.clear();
    sent_ = 0;
  }
}

// Returns whether more may be received. A limited peer may send the longest frame before it is taken, and no more; the
// rest waits in the socket.
bool Channel::has_room() const {
  return most_bytes_ == 0 || incoming_.size() < sizeof(Header) + 2 * most_bytes_;
}

void Channel::receive_some() {
  std::array<char, 65536> buffer;
  while (!ended_ && has_room()) {
    const ssize_t n = recv(fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) {
      ended_ = true;
      return;
    }
    incoming_.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::optional<Message> Channel::take() {
  Header header;
  if (incoming_.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, incoming_.data(), sizeof header);
  if (!plausible(header, most_bytes_)) {
    ended_ = broken_ = true;
    incoming_.clear();
    return std::nullopt;
  }
  const std::size_t whole = sizeof header + header.text_bytes + header.payload_bytes;
  if (incoming_.size() < whole) return std::nullopt;
  Message message{incoming_.substr(sizeof header, header.text_bytes),
                  incoming_.substr(sizeof header + header.text_bytes, header.payload_bytes)};
  incoming_.erase(0, whole);
  const SipBytes expected = code_of(header, key_, opposite(side_), taken_++, message.text, message.payload);
  if (!equal_in_constant_time(expected, header.code)) {
    ended_ = broken_ = true;
    incoming_.clear();
    return std::nullopt;
  }
  return message;
}

bool Channel::send(const Message& message) {
  post(message);
  for (send_some(); wants_to_send(); send_some()) wait_for(fd(), POLLOUT);
  return !ended_;
}

std::optional<Message> Channel::wait() {
  for (;;) {
    if (auto message = take()) return message;
    if (ended_) return std::nullopt;
    wait_for(fd(), POLLIN);
    receive_some();
  }
}

}  // namespace warptune::tuner::workers
