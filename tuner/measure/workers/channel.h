// Carries messages between the program and its workers: length-checked, authenticated frames over a private socket.
// Rejected: pipes, of which a worker would need two, and a queue that others could join (wire_format.md has the
// layout).
//
// Layout of a frame, little-endian as both ends are one program: mark "WTG3", u32 length of the text, u64 length of the
// payload, 16 bytes of SipHash-2-4 under the key over (side, number of the frame in its direction, both lengths,
// SipHash-2-4 of the text and of the payload); then the text and the payload. A frame that was changed, left out, sent
// again, moved or sent back ends the connection at the first frame that does not fit. Nothing is encrypted.
//
// The key is 16 random bytes, which the program sends before its first frame. It protects against code that writes to
// any descriptor it finds, as a kernel on the host may, by mistake or on purpose. It does not protect against code that
// searches its process's memory for the key; that code is kept from using the socket (system/confinement.h). Between
// machines (tuner/measure/agents) the key is derived from a secret that both have.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tuner/system/file_descriptor.h"

namespace warptune::tuner::workers {

struct Message {
  std::string text;     // CBOR (codec.h)
  std::string payload;  // bytes as they are: machine code
};

using ChannelKey = std::array<std::uint8_t, 16>;
ChannelKey random_channel_key();  // Throws std::system_error.

// Says which end of a connection this is: the one that asks (a program, a session), or the one that answers (a worker,
// an agent).
enum class Side : std::uint8_t { program, worker };

// One end of a stream socket, for one thread. No function throws: `ended` says that the peer is gone, or that it sent
// something invalid.
class Channel {
 public:
  Channel(FileDescriptor socket, Side side, const ChannelKey& key = {})
      : socket_(std::move(socket)), side_(side), key_(key) {}

  // The program first calls `send_key`, which hands the key over. The worker first calls `receive_key`, which waits for
  // it and returns false if there is none.
  void send_key();
  bool receive_key();

  // Changes the key from the next frame on, in both directions.
  void rekey(const ChannelKey& key) { key_ = key; }
  // Limits the size of a text and of a payload, so that a peer that has not proved who it is cannot fill the memory. 0
  // sets the limits for workers.
  void limit(std::uint64_t bytes) { most_bytes_ = bytes; }

  int fd() const { return socket_.get(); }
  bool ended() const { return ended_; }
  // Returns whether the connection ended because of invalid data from the peer.
  bool broken() const { return broken_; }

  // Queues a message; `exchange` sends it.
  void post(const Message& message);
  bool wants_to_send() const { return !outgoing_.empty() && !ended_; }
  // Sends and receives what is possible without waiting.
  void exchange();
  // Returns the next whole message that was received; nothing if there is none.
  std::optional<Message> take();

  // Send and receive with waiting, for workers. They return false, or nothing, if the peer is gone.
  bool send(const Message& message);
  std::optional<Message> wait();

 private:
  void send_some();
  void receive_some();
  bool has_room() const;

  FileDescriptor socket_;
  Side side_;
  ChannelKey key_;
  std::uint64_t posted_ = 0, taken_ = 0;  // frames posted and taken so far
  std::string outgoing_;
  std::size_t sent_ = 0;  // how much of outgoing_ is sent
  std::string incoming_;
  std::uint64_t most_bytes_ = 0;
  bool ended_ = false, broken_ = false;
};

}  // namespace warptune::tuner::workers
