// The session's side of the protocol, with an agent that these tests speak for.
#include "tuner/measure/agents/coordinator.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

#include "search/error.h"
#include "tests/support/temporary_folder.h"
#include "tuner/measure/workers/codec.h"
#include "tuner/system/clock.h"
#include "tuner/system/crypto.h"

namespace warptune::tuner::agents {
namespace {

constexpr char token[] = "a token of these tests";

struct Recorder : Employer {
  std::vector<json> answers;
  std::vector<std::string> gone;
  void on_answer(AgentConnection&, const json& answer) override { answers.push_back(answer); }
  void on_gone(AgentConnection& connection) override { gone.push_back(connection.gone()); }
};

class Coordinators : public ::testing::Test {
 protected:
  // An agent's end of a connection.
  workers::Channel connect() {
    Remote remote("127.0.0.1", std::to_string(coordinator.port()));
    Connected connected = connect_to(remote, 1000);
    EXPECT_TRUE(connected.reason.empty()) << connected.reason;
    return workers::Channel(std::move(connected.socket), workers::Side::worker);
  }
  void serve(int times = 3) {
    for (int i = 0; i < times; ++i) {
      std::vector<pollfd> polled;
      coordinator.add_to(polled);
      poll(polled.data(), polled.size(), 20);
      coordinator.serve(recorder);
    }
  }
  json receive(workers::Channel& channel) {
    for (const double until_s = steady_s() + 10; steady_s() < until_s && !channel.ended();) {
      serve(1);
      channel.exchange();
      if (const auto message = channel.take()) return workers::from_cbor(message->text);
    }
    return {};
  }
  void send(workers::Channel& channel, const json& message) {
    channel.post({workers::to_cbor(message), {}});
    channel.exchange();
  }
  // Through the handshake.
  void enter(workers::Channel& channel, const std::string& with = token) {
    const json hello = receive(channel);
    ASSERT_TRUE(hello.contains("nonce"));
    const Nonces nonces{hello.at("nonce").get<std::string>(), random_token()};
    send(channel, {{"nonce", nonces.agent},
                   {"name", workers::text_to_json("node1:7")},
                   {"proof", proof_of(Side::agent, with, nonces)}});
    welcome = receive(channel);
    if (!welcome.contains("proof")) return;
    EXPECT_TRUE(is_proof(welcome.at("proof").get<std::string>(), Side::coordinator, with, nonces));
    channel.rekey(key_of(with, nonces));
  }
  AgentConnection& connection() { return *coordinator.connections().at(0); }

  std::vector<std::string> said;
  Coordinator coordinator{{"127.0.0.1", 0}, token, [this](const std::string& text) { said.push_back(text); }};
  Recorder recorder;
  json welcome;
};

TEST_F(Coordinators, WhoHasTheTokenIsLetInAndToldSo) {
  workers::Channel agent = connect();
  enter(agent);
  ASSERT_TRUE(welcome.contains("proof"));
  EXPECT_EQ(connection().state(), AgentConnection::State::resting);
  EXPECT_EQ(connection().name(), "node1:7");
}

TEST_F(Coordinators, WhoHasAnotherIsToldAndShownTheDoor) {
  workers::Channel agent = connect();
  enter(agent, "another token");
  EXPECT_TRUE(welcome.contains("refused"));
  serve();
  EXPECT_TRUE(coordinator.connections().empty());
}

TEST_F(Coordinators, AStrangerCannotFillTheMemory) {
  workers::Channel agent = connect();
  receive(agent);
  agent.post({std::string(1 << 20, 'x'), {}});
  agent.exchange();
  serve(20);
  EXPECT_TRUE(coordinator.connections().empty());
}

// With few descriptors: those of the tests' own ends come on top.
class CrowdedCoordinators : public Coordinators {
 protected:
  static void SetUpTestSuite() {
    getrlimit(RLIMIT_NOFILE, &usual_);
    const rlimit few{256, usual_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  static void TearDownTestSuite() { setrlimit(RLIMIT_NOFILE, &usual_); }
  static inline rlimit usual_{};
};

TEST_F(CrowdedCoordinators, StrangersLeaveDescriptorsForWorkersAndPlacesForAgents) {
  std::vector<workers::Channel> strangers;
  for (int i = 0; i < 100; ++i) strangers.push_back(connect());
  serve();
  EXPECT_EQ(coordinator.connections().size(), 64u);
  workers::Channel agent = connect();
  enter(agent);  // once the first of them have been silent for a second
  ASSERT_TRUE(welcome.contains("proof"));
  EXPECT_LE(coordinator.connections().size(), 65u);
}

TEST_F(Coordinators, AnOfferIsTheFilesAndThenTheBeginning) {
  const TemporaryFolder folder;
  folder.write("kernel.cu", "text");
  workers::Channel agent = connect();
  enter(agent);
  connection().offer({folder.path(), {{"do", "begin"}, {"device", 1}}, 60});
  const json file = receive(agent), begin = receive(agent);
  EXPECT_EQ(file.at("do"), "file");
  EXPECT_EQ(begin.at("do"), "begin");
  EXPECT_EQ(begin.at("session"), 1);
  send(agent, {{"session", 1}, {"ready", 12}, {"devices", 2}, {"what", 0}});
  serve();
  EXPECT_EQ(connection().state(), AgentConnection::State::ready);
  EXPECT_EQ(connection().capacity(), 12u);
  EXPECT_EQ(connection().devices(), 2u);
}

TEST_F(Coordinators, WhatIsSaidOfAnEarlierSessionOrOfNobodysJobIsNotHeard) {
  const TemporaryFolder folder;
  workers::Channel agent = connect();
  enter(agent);
  for (int i = 0; i < 2; ++i) {
    connection().end_session();
    connection().offer({folder.path(), {{"do", "begin"}}, 60});
    serve();
  }
  send(agent, {{"session", 1}, {"ready", 12}, {"devices", 2}});
  serve();
  EXPECT_EQ(connection().state(), AgentConnection::State::preparing);
  send(agent, {{"session", 2}, {"ready", 12}, {"devices", 2}});
  serve();
  ASSERT_EQ(connection().state(), AgentConnection::State::ready);
  const JobId job = coordinator.next_job();
  connection().evaluate(job, json::array(), {});
  recorder.answers.clear();
  send(agent, {{"session", 1}, {"job", job}});
  send(agent, {{"session", 2}, {"job", job + 1}});
  serve();
  EXPECT_TRUE(recorder.answers.empty());
  send(agent, {{"session", 2}, {"job", job}});
  serve();
  EXPECT_EQ(recorder.answers.size(), 1u);
}

TEST_F(Coordinators, WhoIsLostLeavesItsJobsToOthers) {
  {
    workers::Channel agent = connect();
    enter(agent);
  }
  serve();
  ASSERT_EQ(recorder.gone.size(), 1u);
  EXPECT_EQ(recorder.gone.front(), "its connection ended");
  EXPECT_TRUE(coordinator.connections().empty());
}

TEST_F(Coordinators, NonsenseFromAMemberEndsItsMembership) {
  workers::Channel agent = connect();
  enter(agent);
  send(agent, {{"session", "one"}});
  serve();
  ASSERT_EQ(recorder.gone.size(), 1u);
  EXPECT_NE(recorder.gone.front().find("what no agent sends"), std::string::npos);
}

TEST_F(Coordinators, FramesUnderAnotherKeyAreNoMessages) {
  workers::Channel agent = connect();
  enter(agent);
  agent.rekey({1, 2, 3});
  send(agent, {{"beat", true}});
  serve();
  ASSERT_EQ(recorder.gone.size(), 1u);
  EXPECT_EQ(recorder.gone.front(), "it sent what is no message");
}

TEST(Endpoints, APortThatIsTakenIsToldWithWhatToDo) {
  const FileDescriptor taken = listen_at({"127.0.0.1", 0});
  try {
    listen_at({"127.0.0.1", port_of(taken.get())});
    FAIL();
  } catch (const search::Error& error) {
    EXPECT_EQ(error.kind(), search::ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("Name another port"), std::string::npos) << error.what();
  }
  for (const char* host : {"no.such.host.invalid", "127.0.0.1"}) {
    Remote remote(host, "1");
    EXPECT_FALSE(connect_to(remote, 1000).reason.empty());
  }
}

}  // namespace
}  // namespace warptune::tuner::agents
