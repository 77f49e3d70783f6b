#include "tuner/workers/channel.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <thread>

namespace warptune::tuner::workers {
namespace {

class ChannelTest : public testing::Test {
 protected:
  ChannelTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    ours_.emplace(FileDescriptor(ends[0]));
    theirs_ = FileDescriptor(ends[1]);
  }
  void write_raw(const std::string& bytes) {
    EXPECT_EQ(write(theirs_.get(), bytes.data(), bytes.size()), bytes.size());
  }

  std::optional<Channel> ours_;
  FileDescriptor theirs_;
};

TEST_F(ChannelTest, MessagesArriveWholeAndInOrder) {
  Channel other(std::move(theirs_));
  const std::string large(3'000'000, 'x');  // more than a socket holds
  std::thread sender([&] {
    other.send({"first", large});
    other.send({"", ""});
    other.send({"third", "payload"});
  });
  EXPECT_EQ(ours_->wait()->payload, large);
  EXPECT_EQ(ours_->wait()->text, "");
  const auto third = ours_->wait();
  EXPECT_EQ(third->text, "third");
  EXPECT_EQ(third->payload, "payload");
  sender.join();
}

TEST_F(ChannelTest, PostingNeverWaitsForASlowPeer) {
  for (int i = 0; i < 4; ++i) {
    ours_->post({"job", std::string(1'000'000, 'y')});
    ours_->exchange();
  }
  EXPECT_TRUE(ours_->wants_to_send());
  EXPECT_FALSE(ours_->ended());
}

// What is not read stays in the socket, which is the system's to bound.
TEST_F(ChannelTest, ALimitHoldsForWhatIsKeptToo) {
  const std::string bytes(32'768, 'z');
  ours_->limit(64);
  write_raw(bytes);
  for (int i = 0; i < 3; ++i) ours_->exchange();
  int left = 0;
  ASSERT_EQ(ioctl(ours_->fd(), FIONREAD, &left), 0);
  EXPECT_EQ(left, 0);  // one read of it
  write_raw(bytes);
  ours_->exchange();
  ASSERT_EQ(ioctl(ours_->fd(), FIONREAD, &left), 0);
  EXPECT_EQ(left, 32'768);
  EXPECT_FALSE(ours_->take());
  EXPECT_TRUE(ours_->ended());
}

TEST_F(ChannelTest, WhatIsNoFrameEndsIt) {
  write_raw(std::string(64, '\xff'));
  ours_->exchange();
  EXPECT_FALSE(ours_->take());
  EXPECT_TRUE(ours_->ended());
}

TEST_F(ChannelTest, AnAbsurdLengthEndsItInsteadOfBeingAwaited) {
  const std::uint32_t mark = 0x32475457, text = 4;
  const std::uint64_t payload = std::uint64_t{1} << 60;
  std::string header(32, '\0');
  std::memcpy(header.data(), &mark, 4);
  std::memcpy(header.data() + 4, &text, 4);
  std::memcpy(header.data() + 8, &payload, 8);
  write_raw(header);
  EXPECT_FALSE(ours_->wait());
  EXPECT_TRUE(ours_->ended());
}

TEST_F(ChannelTest, APeerThatGoesInTheMiddleOfAMessageEndsIt) {
  write_raw("WTG2\x10");
  theirs_.reset();
  EXPECT_FALSE(ours_->wait());
  EXPECT_TRUE(ours_->ended());
  EXPECT_FALSE(ours_->send({"too late", ""}));
}

TEST_F(ChannelTest, AFrameOfSomebodyWithoutTheKeyEndsIt) {
  const ChannelKey key = random_channel_key();
  Channel reader(FileDescriptor(dup(ours_->fd())), key), stranger(std::move(theirs_));
  EXPECT_TRUE(stranger.send({"correct", ""}));
  EXPECT_FALSE(reader.wait());
  EXPECT_TRUE(reader.broken());
}

TEST_F(ChannelTest, AFrameThatIsSentAgainEndsIt) {
  Channel writer(FileDescriptor(dup(theirs_.get())));
  writer.send({"correct", "once"});
  std::string frame(4096, '\0');
  frame.resize(static_cast<std::size_t>(recv(ours_->fd(), frame.data(), frame.size(), 0)));
  write_raw(frame + frame);
  EXPECT_EQ(ours_->wait()->payload, "once");
  EXPECT_FALSE(ours_->wait());
  EXPECT_TRUE(ours_->broken());
}

TEST_F(ChannelTest, TheKeyComesFirstAndNotFromNobody) {
  const ChannelKey key = random_channel_key();
  Channel program(FileDescriptor(dup(ours_->fd())), key), worker(std::move(theirs_));
  program.send_key();
  program.post({"hello", ""});
  program.exchange();
  ASSERT_TRUE(worker.receive_key());
  EXPECT_EQ(worker.wait()->text, "hello");
}

}  // namespace
}  // namespace warptune::tuner::workers
