// Messages between the program and its workers: length-checked frames over a private socket (wire_format.md has the
// layout). Not pipes, of which a worker would need two, nor a queue that others could join.
#pragma once

#include <optional>
#include <string>

#include "tuner/device/file_descriptor.h"

namespace warptune::tuner::workers {

struct Message {
  std::string text;     // CBOR (codec.h)
  std::string payload;  // bytes as they are: machine code
};

// One end of a stream socket, for one thread. Nothing throws: a peer that is gone, or that sent what is no frame, has
// `ended`.
class Channel {
 public:
  explicit Channel(FileDescriptor socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }
  bool ended() const { return ended_; }

  // Queues a message; `exchange` sends it.
  void post(const Message& message);
  bool wants_to_send() const { return !outgoing_.empty() && !ended_; }
  // Sends and receives what is possible without waiting.
  void exchange();
  // The next whole message that was received.
  std::optional<Message> take();

  // Waiting forms of the same, for workers. False, nothing: the peer is gone.
  bool send(const Message& message);
  std::optional<Message> wait();

 private:
  void send_some();
  void receive_some();

  FileDescriptor socket_;
  std::string outgoing_;
  std::size_t sent_ = 0;  // of outgoing_
  std::string incoming_;
  bool ended_ = false;
};

}  // namespace warptune::tuner::workers
