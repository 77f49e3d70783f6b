// The cache that machines share, at servers that are as they should be, and at others.
#include "tuner/measure/cache/shared_cache.h"

#include <gmock/gmock.h>

#include "tests/support/http_server.h"
#include "tuner/system/crypto.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string key = sha256("a key"), other_key = sha256("another key");

class Shared : public testing::Test {
 protected:
  SharedCacheOptions options() const { return {server_.url() + "/code/", "", false, 20000}; }
  // As one machine puts it for others.
  void put(const std::string& bytes, SharedCacheOptions options) {
    SharedCache cache(std::move(options));
    cache.put(key, bytes);
  }
  std::string path() const { return "/code/" + key; }
  std::string only_notice(const SharedCache& cache) const {
    const auto notices = cache.notices();
    EXPECT_EQ(notices.size(), 1u);
    return notices.empty() ? "" : notices.begin()->second;
  }

  HttpServer server_;
};

TEST_F(Shared, WhatOneMachinePutsAnotherGets) {
  const std::string bytes("machine\0code\n", 13);
  put(bytes, options());
  SharedCache cache(options());
  EXPECT_EQ(cache.get(key), bytes);
  EXPECT_EQ(cache.get(other_key), std::nullopt);
  EXPECT_EQ(server_.files().count(path()), 1u);
  EXPECT_THAT(cache.notices(), IsEmpty());
}

TEST_F(Shared, ManyThreadsGetAndPutWholeEntries) {
  SharedCache cache(options());
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&cache, t] {
        for (int i = 0; i < 10; ++i) {
          const std::string name = sha256(std::to_string(i)), bytes(static_cast<std::size_t>(50'000 + i), 'x');
          if (t % 2 == 0) cache.put(name, bytes);
          EXPECT_EQ(cache.get(name).value_or(bytes), bytes);
        }
      });
  }
  cache.flush(20000);
  EXPECT_EQ(server_.files().size(), 10u);
}

TEST_F(Shared, AnEntryThatIsNotWholeOrNotOfThisKeyIsAMissAndIsToldOnce) {
  const std::string good = shared_entry(key, "machine code");
  std::string damaged = good;
  damaged.back() = 'X';
  const auto with_length = [&](const std::string& length) {
    return std::string(good).replace(good.find(" 12\n"), 4, ' ' + length + '\n');
  };
  const std::map<std::string, std::string> wrong = {{good.substr(0, good.size() - 3), "cut short"},
                                                    {good.substr(0, 40), "cut short"},
                                                    {"", "no entry"},
                                                    {"<html>hello</html>", "no entry"},
                                                    {damaged, "damaged"},
                                                    {good + "more", "damaged"},
                                                    {with_length("012"), "damaged"},
                                                    {with_length("12x"), "damaged"},
                                                    {shared_entry(other_key, "machine code"), "another key"}};
  for (const auto& [entry, why] : wrong) {
    server_.set(path(), entry);
    SharedCache cache(options());
    EXPECT_EQ(cache.get(key), std::nullopt) << entry;
    EXPECT_EQ(cache.get(key), std::nullopt) << entry;
    EXPECT_THAT(only_notice(cache), HasSubstr(why));
    server_.set(path(), good);
    EXPECT_EQ(cache.get(key), "machine code");
  }
}

TEST_F(Shared, AnAnswerThatBreaksOffIsAMiss) {
  put(std::string(100'000, 'x'), options());
  server_.cuts_answers = true;
  SharedCache cache(options());
  EXPECT_EQ(cache.get(key), std::nullopt);
  server_.cuts_answers = false;
  EXPECT_TRUE(cache.get(key));
}

TEST_F(Shared, ALengthThatNoEntryHasIsAMissBeforeMemoryIsReserved) {
  put("machine code", options());
  for (const std::size_t length : {std::size_t{1} << 29, std::size_t{1} << 40, std::size_t{1} << 62}) {
    server_.claims_length = length;
    SharedCache cache(options());
    for (int i = 0; i < SharedCache::most_failures_in_a_row; ++i) EXPECT_EQ(cache.get(key), std::nullopt) << length;
    EXPECT_THAT(only_notice(cache), HasSubstr("body limit exceeded")) << length;
  }
  server_.claims_length = 0;
  SharedCache cache(options());
  EXPECT_EQ(cache.get(key), "machine code");
}

TEST_F(Shared, AServerThatKeepsFailingIsLeftAlone) {
  server_.get_status = 503;
  SharedCache cache(options());
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(cache.get(key), std::nullopt);
    cache.put(key, "machine code");
  }
  EXPECT_TRUE(cache.left_alone());
  EXPECT_EQ(server_.gets(), SharedCache::most_failures_in_a_row);
  EXPECT_THAT(only_notice(cache), HasSubstr("503"));
}

TEST_F(Shared, AFailureNowAndThenIsNoReasonToLeaveIt) {
  put("machine code", options());
  SharedCache cache(options());
  for (int i = 0; i < 2; ++i) {
    server_.get_status = 500;
    for (int failed = 1; failed < SharedCache::most_failures_in_a_row; ++failed) cache.get(key);
    server_.get_status = 0;
    EXPECT_EQ(cache.get(key), "machine code");
  }
  EXPECT_FALSE(cache.left_alone());
}

TEST_F(Shared, AServerThatNeverAnswersIsLeftAlone) {
  server_.silent = true;
  SharedCacheOptions impatient = options();
  impatient.patience_ms = 30;
  SharedCache cache(impatient);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(cache.get(key), std::nullopt);
  EXPECT_TRUE(cache.left_alone());
  EXPECT_EQ(server_.gets(), SharedCache::most_failures_in_a_row);
  EXPECT_THAT(only_notice(cache), HasSubstr("timed out"));
}

TEST(SharedAbsent, IsLeftAlone) {
  std::string url;
  {
    const HttpServer gone;
    url = gone.url();
  }
  SharedCache cache({url});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(cache.get(key), std::nullopt);
  cache.put(key, "machine code");
  EXPECT_TRUE(cache.left_alone());
  EXPECT_EQ(cache.notices().size(), 1u);
}

TEST_F(Shared, ReadOnlyGivesNothing) {
  SharedCacheOptions reads = options();
  reads.read_only = true;
  put("machine code", reads);
  EXPECT_EQ(server_.puts(), 0);
  put("machine code", options());
  EXPECT_EQ(SharedCache(reads).get(key), "machine code");
}

TEST_F(Shared, AServerThatTakesNothingIsStillRead) {
  put("machine code", options());
  server_.put_status = 405;
  SharedCache cache(options());
  for (int i = 0; i < 5; ++i) {
    cache.put(other_key, "machine code");
    cache.flush(20000);
  }
  EXPECT_EQ(server_.puts(), 2);
  EXPECT_THAT(only_notice(cache), HasSubstr("405"));
  EXPECT_EQ(cache.get(key), "machine code");
}

TEST_F(Shared, TheAuthorizationIsBroughtAlong) {
  server_.authorization = "Bearer secret";
  SharedCacheOptions stranger = options(), friendly = options();
  friendly.authorization = "Bearer secret";
  put("machine code", stranger);
  EXPECT_THAT(server_.files(), IsEmpty());
  put("machine code", friendly);
  EXPECT_EQ(SharedCache(friendly).get(key), "machine code");
  EXPECT_EQ(SharedCache(stranger).get(key), std::nullopt);
}

TEST(HttpAddresses, AreTakenApart) {
  const auto parts = [](const std::string& url) {
    const HttpAddress address = parse_http_address(url);
    return address.host + ' ' + address.port + ' ' + address.path;
  };
  EXPECT_EQ(parts("http://cache.site"), "cache.site 80 ");
  EXPECT_EQ(parts("http://cache.site:8080/a/b/"), "cache.site 8080 /a/b");
  EXPECT_EQ(parts("http://[::1]:99/x"), "::1 99 /x");
  EXPECT_EQ(parts("http://[fe80::1]"), "fe80::1 80 ");
  for (const char* url : {"https://cache.site", "cache.site", "ftp://x", "http://", "http://:80", "http://a:b",
                          "http://a:", "http://u:p@a", "http://a/b?c", "http://a b", "http://a\r\nX: y"})
    EXPECT_THROW(parse_http_address(url), std::invalid_argument) << url;
  EXPECT_THROW(HttpClient("http://a", "Bearer x\r\nX: y"), std::invalid_argument);
}

}  // namespace
}  // namespace warptune::tuner
