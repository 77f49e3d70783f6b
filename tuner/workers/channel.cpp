// Frames on a socket; wire_format.md has their layout.
#include "tuner/workers/channel.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace warptune::tuner::workers {

namespace {

// Both ends are the same program on the same kind of machine: the header travels as it lies in memory.
struct Header {
  std::uint32_t mark = 0x32475457;  // "WTG2"
  std::uint32_t text_bytes = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t sum[2] = {};
};

constexpr std::uint32_t most_text_bytes = std::uint32_t{64} << 20;
constexpr std::uint64_t most_payload_bytes = std::uint64_t{1} << 30;

bool plausible(const Header& header, std::uint64_t most_bytes) {
  if (header.mark != Header{}.mark) return false;
  if (most_bytes > 0) return header.text_bytes <= most_bytes && header.payload_bytes <= most_bytes;
  return header.text_bytes <= most_text_bytes && header.payload_bytes <= most_payload_bytes;
}

// What only who knows the key and has counted can say.
void seal(Header& header, const ChannelKey& key, std::uint64_t number, std::string_view text,
          std::string_view payload) {
  struct {
    ChannelKey key;
    std::uint64_t number, text_bytes, payload_bytes;
    XXH128_hash_t text, payload;
  } all{key,
        number,
        header.text_bytes,
        header.payload_bytes,
        XXH3_128bits(text.data(), text.size()),
        XXH3_128bits(payload.data(), payload.size())};
  const XXH128_hash_t sum = XXH3_128bits(&all, sizeof all);
  header.sum[0] = sum.low64;
  header.sum[1] = sum.high64;
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
  seal(header, key_, posted_++, message.text, message.payload);
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

// Whoever is limited may send the longest frame before somebody takes it, and no more; the rest waits in the socket.
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
  Header expected = header;
  seal(expected, key_, taken_++, message.text, message.payload);
  if (std::memcmp(expected.sum, header.sum, sizeof header.sum) != 0) {
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
