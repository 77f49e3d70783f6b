// The document that a page is drawn from, and the HTML around it, as text.
#include "tuner/results/report/page/page_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tuner/results/report/page/page.h"

namespace warptune::tuner {

namespace {

using testing::HasSubstr;
using testing::Not;

db::StoredTrial correct_trial(db::TrialId id, std::int64_t block, double ms, const std::string& recorded_at) {
  db::StoredTrial stored;
  stored.id = id;
  stored.values = {{"BLOCK", block}, {"FAST", id % 2 == 0}};
  stored.trial.measurement = search::Measurement{{ms}, ms, 0.01};
  stored.trial.objectives = {ms};
  stored.trial.phases = {1000, 0, 500, 0};
  stored.recorded_at = recorded_at;
  return stored;
}

PageSession two_trials() {
  PageSession page;
  page.reference = "1";
  page.session.objective = "time";
  page.session.started_at = "2026-03-14T23:59:58.000Z";
  page.session.key.device.backend = "cuda";
  page.trials = {correct_trial(4, 256, 2.0, "2026-03-14T23:59:59.500Z"),
                 correct_trial(5, 64, 1.0, "2026-03-15T00:00:01.000Z")};
  return page;
}

TEST(PageData, ParametersAreIndicesOfTheirSortedValues) {
  const Json json = page_data(std::vector{two_trials()});
  const Json& block = json["sessions"][0]["parameters"][0];
  EXPECT_EQ(block.dump(), R"({"name":"BLOCK","values":[64,256],"trials":[1,0]})");
  EXPECT_EQ(json["sessions"][0]["parameters"][1]["values"].dump(), "[false,true]");
  EXPECT_EQ(json["sessions"][0]["trials"]["time_ms"].dump(), "[2.0,1.0]");
}

TEST(PageData, AColumnThatNoTrialHasIsNull) {
  const Json columns = page_data(std::vector{two_trials()})["sessions"][0]["trials"];
  EXPECT_TRUE(columns["registers"].is_null());
  EXPECT_FALSE(columns["time_error"].is_null());
}

// Finals measure at another time than the search: their figures stand with the finalists, and apart.
TEST(PageData, TrialsHaveWhatTheSearchMeasuredAlsoIfFinalsMeasuredThemAgain) {
  PageSession page = two_trials();
  db::Winner winner;
  winner.trial = 5;
  winner.finalists = {{5, 1.25, 0.01, 9, 0, 0, 0, 1.25, 0.01}};
  winner.time_ms = 1.25;
  page.winner = winner;
  const Json session = page_data(std::vector{page})["sessions"][0];
  EXPECT_EQ(session["trials"]["time_ms"].dump(), "[2.0,1.0]");
  EXPECT_EQ(session["finals"][0]["time_ms"], 1.25);
}

TEST(PageData, TimeGoesOnOverMidnightButNotOverAPause) {
  PageSession page = two_trials();
  page.trials.push_back(correct_trial(6, 128, 1.5, "2026-03-17T12:00:00.000Z"));  // continued two days later
  EXPECT_THAT(tuning_seconds(page.session, page.trials), testing::ElementsAre(1.5, 3.0, 4.5));
}

TEST(PageData, ARecordingsSessionHasTheRecordingsClock) {
  PageSession page = two_trials();
  page.session.key.device.backend = "replay";
  for (db::StoredTrial& trial : page.trials) trial.recorded_at = page.session.started_at;
  EXPECT_THAT(tuning_seconds(page.session, page.trials), testing::ElementsAre(1.5, 3.0));
}

TEST(PageData, WorkAndRoofsBecomeRatesAndShares) {
  PageSession page = two_trials();
  for (db::StoredTrial& trial : page.trials) {
    trial.trial.work.bytes = 4e9;
    trial.trial.work.flops = trial.id == 4 ? 1e9 : 2e9;
    trial.trial.work.arithmetic = "fp32";
  }
  page.roofs = {{"dram", 8e12, "copy"}, {"fp32", 6e13, "fused multiply-adds"}};
  db::Winner winner;
  winner.trial = 5;
  winner.time_ms = 1.0;
  page.winner = winner;
  const Json roofline = page_data(std::vector{page})["sessions"][0]["roofline"];
  EXPECT_EQ(roofline["bytes"], 4e9);  // one for all
  EXPECT_EQ(roofline["flops"].dump(), "[1000000000.0,2000000000.0]");
  EXPECT_EQ(roofline["winner"]["roofs"][0]["roof"], "dram");  // 4 of 8 TB/s; 2 of 60 TFLOP/s
  EXPECT_DOUBLE_EQ(roofline["winner"]["roofs"][0]["share"].get<double>(), 0.5);
  EXPECT_TRUE(roofline["winner"]["bound"].is_null());
  EXPECT_EQ(roofline["roofs"].size(), 2U);
  page.roofs.clear();
  EXPECT_TRUE(page_data(std::vector{page})["sessions"][0]["roofline"].is_null());
}

TEST(PageData, ALaunchTellsWhatLimitsItsOccupancy) {
  PageSession page = two_trials();
  search::ResourceUse use;
  use.registers_per_thread = 128;
  use.threads_per_block = 256;
  use.occupancy = 0.25;
  page.trials[0].trial.resources = use;
  page.trials[0].trial.launches = {{"axpy", {1000, 1, 1}, {256, 1, 1}, 1, use}};
  page.session.key.device.limits = {{"max_threads_per_multiprocessor", std::int64_t{2048}},
                                    {"max_blocks_per_multiprocessor", std::int64_t{32}},
                                    {"max_registers_per_multiprocessor", std::int64_t{65536}},
                                    {"max_shared_memory_per_multiprocessor", std::int64_t{233472}},
                                    {"multiprocessors", std::int64_t{132}},
                                    {"warp_size", std::int64_t{32}}};
  const Json columns = page_data(std::vector{page})["sessions"][0]["trials"];
  EXPECT_EQ(columns["limiters"].dump(), R"(["registers"])");
  EXPECT_EQ(columns["limiter"].dump(), "[0,-1]");
  EXPECT_NEAR(columns["waves"][0].get<double>(), 1000.0 / 264, 1e-9);
}

TEST(PageData, NothingInItEndsAScriptElement) {
  PageSession page = two_trials();
  page.session.key.kernel = "</script><!--";
  page.trials[0].trial.outcome = search::Outcome::crash;
  page.trials[0].trial.message = "\u2028\u2029&\xFF";
  const std::string text = page_data_text(std::vector{page});
  for (const char* forbidden : {"<", ">", "&", "\u2028", "\u2029"}) EXPECT_THAT(text, Not(HasSubstr(forbidden)));
  const Json read = Json::parse(text);
  EXPECT_EQ(read["sessions"][0]["session"]["key"]["kernel"], "</script><!--");
  EXPECT_EQ(read["sessions"][0]["messages"][0], "\u2028\u2029&\uFFFD");
}

TEST(PageData, LongMessagesAreCutBetweenCharacters) {
  PageSession page = two_trials();
  page.trials[0].trial.outcome = search::Outcome::compile_error;
  for (int i = 0; i < 1000; ++i) page.trials[0].trial.message += "é";
  const Json messages = page_data(std::vector{page})["sessions"][0]["messages"];
  EXPECT_LT(messages[0].get<std::string>().size(), 700U);
  EXPECT_THAT(messages.dump(-1, ' ', false, Json::error_handler_t::replace), Not(HasSubstr("\uFFFD")));
}

TEST(Page, NamesEachOfItsScriptsInItsPolicyAndNothingElse) {
  PageOptions options;
  options.title = "</title><script>";
  options.charts = {"let vega = 1;", std::string(64, '0')};
  const std::string html = page_html("{}", options);
  EXPECT_THAT(html, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(html, HasSubstr("'sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='"));
  EXPECT_THAT(html, HasSubstr("connect-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe")));
  EXPECT_THAT(html, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;</title>"));
  options.live = true;
  EXPECT_THAT(page_html("{}", options), HasSubstr("connect-src 'self'"));
}

TEST(Page, HasNoAddressOfAnotherMachineInItsOwnTexts) {
  for (const PageAsset& asset : page_assets()) {
    EXPECT_THAT(std::string(asset.text), Not(HasSubstr("src=\"http"))) << asset.name;
    EXPECT_THAT(std::string(asset.text), Not(HasSubstr("innerHTML"))) << asset.name;
    EXPECT_THAT(std::string(asset.text), Not(HasSubstr("@import"))) << asset.name;
  }
}

}  // namespace

}  // namespace warptune::tuner
