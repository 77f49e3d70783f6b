#include "tuner/measure/workers/channel.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <thread>
#include <vector>

namespace warptune::tuner::workers {
namespace {

class ChannelTest : public testing::Test {
 protected:
  ChannelTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    ours_.emplace(FileDescriptor(ends[0]), Side::program);
    theirs_ = FileDescriptor(ends[1]);
  }
  void write_raw(const std::string& bytes) {
    EXPECT_EQ(write(theirs_.get(), bytes.data(), bytes.size()), bytes.size());
  }

  std::optional<Channel> ours_;
  FileDescriptor theirs_;
};

TEST_F(ChannelTest, MessagesArriveWholeAndInOrder) {
  Channel other(std::move(theirs_), Side::worker);
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
  const std::uint32_t mark = 0x33475457, text = 4;
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
  write_raw("WTG3\x10");
  theirs_.reset();
  EXPECT_FALSE(ours_->wait());
  EXPECT_TRUE(ours_->ended());
  EXPECT_FALSE(ours_->send({"too late", ""}));
}

TEST_F(ChannelTest, AFrameOfSomebodyWithoutTheKeyEndsIt) {
  const ChannelKey key = random_channel_key();
  Channel reader(FileDescriptor(dup(ours_->fd())), Side::program, key), stranger(std::move(theirs_), Side::worker);
  EXPECT_TRUE(stranger.send({"correct", ""}));
  EXPECT_FALSE(reader.wait());
  EXPECT_TRUE(reader.broken());
}

// Between two ends that share a key, somebody who does not know it and can do anything to what travels.
class SealedChannel : public ChannelTest {
 protected:
  // The bytes of the frames of these texts, from this side.
  std::vector<std::string> frames(const std::vector<std::string>& texts, Side side = Side::worker) {
    Channel writer(FileDescriptor(dup(theirs_.get())), side, key_);
    std::vector<std::string> all;
    for (const std::string& text : texts) {
      writer.send({text, "payload"});
      std::string frame(4096, '\0');
      frame.resize(static_cast<std::size_t>(recv(ours_->fd(), frame.data(), frame.size(), 0)));
      all.push_back(frame);
    }
    return all;
  }
  // What the reader takes of these bytes before it gives up.
  std::vector<std::string> taken(const std::string& bytes) {
    Channel reader(FileDescriptor(dup(ours_->fd())), Side::program, key_);
    write_raw(bytes);
    reader.exchange();
    std::vector<std::string> texts;
    while (const auto message = reader.take()) texts.push_back(message->text);
    noticed_ = reader.broken();
    return texts;
  }

  const ChannelKey key_ = random_channel_key();
  bool noticed_ = false;
};

using Texts = std::vector<std::string>;

TEST_F(SealedChannel, AFrameAsItWasSentIsTaken) {
  const auto sent = frames({"one", "two"});
  EXPECT_EQ(taken(sent[0] + sent[1]), (Texts{"one", "two"}));
  EXPECT_FALSE(noticed_);
}

TEST_F(SealedChannel, NoticesAByteThatWasFlippedWhereverItIs) {
  const std::string sent = frames({"one"})[0];
  for (std::size_t place = 16; place < sent.size(); ++place) {  // before are the mark and the lengths
    std::string changed = sent;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    EXPECT_EQ(taken(changed), Texts{}) << place;
    EXPECT_TRUE(noticed_) << place;
  }
}

TEST_F(SealedChannel, NoticesAFrameThatIsSentAgain) {
  const auto sent = frames({"one"});
  EXPECT_EQ(taken(sent[0] + sent[0]), Texts{"one"});
  EXPECT_TRUE(noticed_);
}

TEST_F(SealedChannel, NoticesThatAFrameIsMissing) {
  const auto sent = frames({"one", "two", "three"});
  EXPECT_EQ(taken(sent[0] + sent[2]), Texts{"one"});
  EXPECT_TRUE(noticed_);
}

TEST_F(SealedChannel, NoticesFramesInAnotherOrder) {
  const auto sent = frames({"one", "two"});
  EXPECT_EQ(taken(sent[1] + sent[0]), Texts{});
  EXPECT_TRUE(noticed_);
}

TEST_F(SealedChannel, NoticesItsOwnFrameSentBack) {
  EXPECT_EQ(taken(frames({"one"}, Side::program)[0]), Texts{});
  EXPECT_TRUE(noticed_);
}

TEST_F(ChannelTest, TheKeyComesFirstAndNotFromNobody) {
  const ChannelKey key = random_channel_key();
  Channel program(FileDescriptor(dup(ours_->fd())), Side::program, key), worker(std::move(theirs_), Side::worker);
  program.send_key();
  program.post({"hello", ""});
  program.exchange();
  ASSERT_TRUE(worker.receive_key());
  EXPECT_EQ(worker.wait()->text, "hello");
}

}  // namespace
}  // namespace warptune::tuner::workers
