// Names that nobody looks up in time.
#include "tuner/system/remote.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <atomic>
#include <future>
#include <memory>
#include <system_error>

#include "tests/support/http_server.h"
#include "tuner/system/http_client.h"

namespace warptune::tuner {
namespace {

constexpr int patience_ms = 5;

// A resolver that answers when the test lets it, and counts how often it is asked.
struct Resolver {
  std::promise<int> answer;
  std::shared_future<int> answered = answer.get_future().share();
  std::shared_ptr<std::atomic<int>> asked = std::make_shared<std::atomic<int>>(0);

  Remote::Resolve function() const {
    return [answered = answered, asked = asked](const std::string&, const std::string&, addrinfo** found) {
      ++*asked;
      *found = nullptr;
      return answered.get();
    };
  }
};

std::string failure(Remote& remote) {
  try {
    remote.connect(Deadline::in_ms(patience_ms));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "connected";
}

TEST(Remote, ALookUpThatNeverEndsTakesNoLongerThanTheDeadline) {
  Resolver dead;
  Remote remote("a.dead.name", "80", dead.function());
  EXPECT_THAT(failure(remote), testing::HasSubstr("looking for a.dead.name: Connection timed out"));
  EXPECT_THAT(failure(remote), testing::HasSubstr("looking for a.dead.name: Connection timed out"));
  dead.answer.set_value(EAI_AGAIN);
}

TEST(Remote, ALookUpThatTakesTooLongIsBegunOnce) {
  Resolver dead;
  Remote remote("a.dead.name", "80", dead.function(), std::chrono::milliseconds(0));
  for (int i = 0; i < 3; ++i) failure(remote);
  EXPECT_LE(*dead.asked, 1);
  dead.answer.set_value(EAI_AGAIN);
}

TEST(Remote, AFailedLookUpIsRememberedForAWhile) {
  Resolver failing;
  failing.answer.set_value(EAI_NONAME);
  Remote remote("no.such.name", "80", failing.function());
  std::string said;
  while ((said = failure(remote)).find("timed out") != std::string::npos) {  // the thread may not have run yet
    ASSERT_LE(*failing.asked, 1);
  }
  EXPECT_THAT(said, testing::HasSubstr(gai_strerror(EAI_NONAME)));
  for (int i = 0; i < 3; ++i) failure(remote);
  EXPECT_EQ(*failing.asked, 1);
}

TEST(Remote, AfterAWhileItIsAskedAgain) {
  Resolver failing;
  failing.answer.set_value(EAI_NONAME);
  Remote remote("no.such.name", "80", failing.function(), std::chrono::milliseconds(0));
  while (*failing.asked < 3) failure(remote);
  SUCCEED();
}

TEST(Remote, AnAddressInNumbersNeedsNoResolver) {
  Resolver dead;
  const HttpServer server;
  const HttpAddress address = parse_http_address(server.url());
  Remote remote(address.host, address.port, dead.function());
  EXPECT_GE(remote.connect(Deadline::in_ms(10'000)).get(), 0);
  EXPECT_EQ(*dead.asked, 0);
  dead.answer.set_value(EAI_AGAIN);
}

}  // namespace
}  // namespace warptune::tuner
