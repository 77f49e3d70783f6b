// Sessions of machines that share a cache of machine code: two machines are two folders of their own.
#include "tests/support/http_server.h"
#include "tests/support/places.h"
#include "tests/tuner/program/cli/tuned_store.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliSharedCache : public TunedStore {
 protected:
  // A session of a machine with these files of its own; no trial of another's store is known to it.
  ProgramRun tune_on(const std::string& machine, const std::string& more = "", const std::string& environment = "") {
    return run_program(
        folder_, "WARPTUNE_DB=" + path(machine + ".db") + " XDG_CACHE_HOME=" + path(machine) +
                     " WARPTUNE_CACHE_URL=" + server_.url() + "/code " + environment + " " + warptune_program() +
                     " tune " + folder_.path().string() +
                     " --device host --strategy exhaustive --finals 0 --compile-jobs 1 --restrict 'EACH<=2' " + more);
  }
  ProgramRun stats_of(const std::string& machine) {
    return run_program(folder_,
                       "XDG_CACHE_HOME=" + path(machine) + " " + warptune_program() + " cache stats --format csv");
  }

  HttpServer server_;
};

TEST_F(CliSharedCache, WhatOneMachineCompiledAnotherDoesNot) {
  const ProgramRun first = tune_on("a");
  EXPECT_THAT(first.err, AllOf(HasSubstr("6 compiled, 0 from the cache"), Not(HasSubstr("shared cache"))));
  EXPECT_GE(server_.files().size(), 6u);  // and what fills, references and checks are made of
  const int puts = server_.puts();
  const ProgramRun second = tune_on("b");
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("0 compiled, 6 from the cache (6 of them shared)"));
  EXPECT_EQ(server_.puts(), puts);
  EXPECT_THAT(stats_of("b").out, Not(HasSubstr(",0,")));  // hits
  std::filesystem::remove(folder_.path() / "b.db");
  const int gets = server_.gets();
  EXPECT_THAT(tune_on("b").err, HasSubstr("0 compiled, 6 from the cache, 0 failed"));  // which are its own by now
  EXPECT_EQ(server_.gets(), gets);
}

TEST_F(CliSharedCache, WhatIsDamagedThereIsCompiledHereAndToldOnce) {
  tune_on("a");
  server_.set_all("warptune-code 1 nonsense");
  const ProgramRun second = tune_on("b", "--cache-read-only");
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, AllOf(HasSubstr("6 compiled, 0 from the cache"), HasSubstr("is cut short")));
  EXPECT_EQ(second.err.find("the shared cache"), second.err.rfind("the shared cache")) << second.err;
  for (const auto& [name, content] : server_.files()) EXPECT_EQ(content, "warptune-code 1 nonsense");
  tune_on("c");  // mends them
  EXPECT_THAT(tune_on("d").err, HasSubstr("0 compiled, 6 from the cache (6 of them shared)"));
}

TEST_F(CliSharedCache, AServerThatFailsOrIsSilentOrGoneCostsNoTrial) {
  server_.get_status = server_.put_status = 500;
  const ProgramRun failing = tune_on("a");
  EXPECT_EQ(failing.exit_code, 0) << failing.err;
  EXPECT_THAT(failing.err, AllOf(HasSubstr("6 compiled"), HasSubstr("is left alone"), HasSubstr("500")));
  EXPECT_EQ(failing.err.find("is left alone"), failing.err.rfind("is left alone")) << failing.err;
  server_.silent = true;
  const ProgramRun silent = tune_on("b", "--budget 2");
  EXPECT_EQ(silent.exit_code, 0) << silent.err;
  EXPECT_THAT(silent.err, HasSubstr("2 compiled"));
  const ProgramRun absent = tune_on("c", "--cache-url http://127.0.0.1:1");
  EXPECT_EQ(absent.exit_code, 0) << absent.err;
  EXPECT_THAT(absent.err, AllOf(HasSubstr("6 compiled"), HasSubstr("Connection refused")));
}

TEST_F(CliSharedCache, IsAskedOnlyIfNamedAndWrittenOnlyByWhoMay) {
  tune_on("a", "--cache-url ''");
  tune_on("b", "--no-cache");
  EXPECT_EQ(server_.gets() + server_.puts(), 0);
  tune_on("c", "", "WARPTUNE_CACHE_READ_ONLY=1");
  EXPECT_GT(server_.gets(), 0);
  EXPECT_EQ(server_.puts(), 0);
  server_.authorization = "Basic bm9kZTpwYXNzd29yZA==";
  const ProgramRun stranger = tune_on("d", "", "WARPTUNE_CACHE_TOKEN=wrong");
  EXPECT_THAT(stranger.err, AllOf(HasSubstr("6 compiled"), HasSubstr("401")));
  EXPECT_TRUE(server_.files().empty());
  tune_on("e", "", "WARPTUNE_CACHE_LOGIN=node:password");
  EXPECT_FALSE(server_.files().empty());
}

TEST_F(CliSharedCache, AnAddressThatIsNoneIsRefusedAtOnce) {
  for (const std::string url : {"https://cache.site", "cache.site:80", "http://user:secret@cache.site"}) {
    const ProgramRun option = tune_on("a", "--cache-url " + url);
    EXPECT_EQ(option.exit_code, 2) << url;
    EXPECT_THAT(option.err, AllOf(HasSubstr("http://HOST"), Not(HasSubstr("secret"))));
    EXPECT_EQ(tune_on("a", "", "WARPTUNE_CACHE_URL=" + url).exit_code, 2) << url;
  }
}

TEST_F(CliSharedCache, TheDoctorSaysWhetherItAnswers) {
  const auto doctor = [&](const std::string& url) {
    return run("doctor --format csv", "WARPTUNE_CACHE_URL=" + url).out;
  };
  EXPECT_THAT(doctor(server_.url()), HasSubstr(server_.url() + " answers"));
  server_.get_status = 403;
  EXPECT_THAT(doctor(server_.url()), AllOf(HasSubstr("warning"), HasSubstr("403")));
  EXPECT_THAT(doctor("https://cache.site"), HasSubstr("TLS"));
  EXPECT_EQ(server_.puts(), 0);
}

}  // namespace
}  // namespace warptune::tuner
