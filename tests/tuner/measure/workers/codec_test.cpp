// What a worker may send, and what ends it.
#include "tuner/measure/workers/codec.h"

#include <gtest/gtest.h>

#include <limits>

namespace warptune::tuner::workers {
namespace {

search::Trial correct_trial() {
  search::Trial trial;
  trial.outcome = search::Outcome::correct;
  trial.measurement = search::Measurement{};
  trial.measurement->samples_ms = {0.5, 0.5};
  trial.measurement->median_ms = 0.5;
  return trial;
}

search::Trial sent(const search::Trial& trial, Purpose purpose = Purpose::trial) {
  search::Trial read;
  read_trial(from_cbor(to_cbor(to_json(trial))), purpose, read);
  return read;
}

TEST(Codec, ATrialComesBackAsItWas) {
  EXPECT_EQ(sent(correct_trial()).measurement->median_ms, 0.5);
  search::Trial wrong;
  wrong.outcome = search::Outcome::wrong_result;
  wrong.message = "out[3] \xff";
  EXPECT_EQ(sent(wrong).message, wrong.message);
}

TEST(Codec, ATrialsBitsComeBackAndNothingButDigitsIsAHash) {
  search::Trial trial = correct_trial();
  trial.bits = search::OutputBits{"0123456789abcdef", ""};
  EXPECT_EQ(sent(trial).bits, trial.bits);
  EXPECT_FALSE(sent(correct_trial()).bits);
  for (const char* hash : {"0123 or 1=1", "0123456789ABCDEF", "0123456789abcdef0123456789abcdef0"}) {
    trial.bits->outputs = hash;
    EXPECT_THROW(sent(trial), json::exception) << hash;
  }
}

TEST(Codec, RivalsComeBackAsTheyWere) {
  const Rivals rivals{.best_ms = 0.25, .front = {{0.5, 2}, {1, 1.0 / 3}}, .static_w = 60, .work_j = 0.125};
  const Rivals read = rivals_from(from_cbor(to_cbor(to_json(rivals))));
  EXPECT_EQ(read.best_ms, 0.25);
  EXPECT_EQ(read.static_w, 60);
  EXPECT_EQ(read.work_j, 0.125);
  ASSERT_EQ(read.front.size(), 2u);
  EXPECT_EQ(read.front[1].ms, 1);
  EXPECT_EQ(read.front[1].joules, 1.0 / 3);
}

TEST(Codec, ACountedTrialHasCountersInsteadOfAMeasurement) {
  search::Trial trial;
  trial.counters = search::Counters{{{"warps", 64.0}}, {{"k \xff", {{"warps", 64.0}}}}, {"pipe_fp64"}, "why \xff"};
  const search::Trial read = sent(trial, Purpose::counted);
  EXPECT_EQ(read.counters, trial.counters);
  EXPECT_FALSE(read.measurement);
  json text = to_json(trial);
  text["counters"]["values"]["wraps"] = 1.0;
  search::Trial other;
  EXPECT_THROW(read_trial(text, Purpose::counted, other), json::exception) << "there is no such counter";
  EXPECT_THROW(sent(trial), json::exception) << "not measured";
  EXPECT_THROW(sent(correct_trial(), Purpose::counted), json::exception) << "not counted";
  trial.counters->values["warps"] = std::nan("");
  EXPECT_THROW(sent(trial, Purpose::counted), json::exception);
}

TEST(Codec, AProofHasNeither) {
  EXPECT_TRUE(sent({}, Purpose::proof).correct());
  EXPECT_THROW(sent({}, Purpose::finalist), json::exception);
  EXPECT_THROW(sent(correct_trial(), Purpose::proof), json::exception);
}

TEST(Codec, EveryPurposeComesBackAsItWas) {
  for (const Purpose purpose : {Purpose::trial, Purpose::finalist, Purpose::proof, Purpose::counted})
    EXPECT_EQ(purpose_from(to_json(purpose)), purpose);
  EXPECT_THROW(purpose_from("fun"), json::exception);
}

TEST(Codec, ACacheAndWhatCodeDependsOnReachTheWorkerWhole) {
  const CacheOptions cache{"/cache", 77, {"http://cache.site:8080/code", "Bearer \xff", true, 1234}};
  const CacheOptions read = cache_options_from(from_cbor(to_cbor(to_json(cache))));
  EXPECT_EQ(read.folder, cache.folder);
  EXPECT_EQ(read.limit_bytes, cache.limit_bytes);
  EXPECT_EQ(read.shared.url, cache.shared.url);
  EXPECT_EQ(read.shared.authorization, cache.shared.authorization);
  EXPECT_EQ(read.shared.read_only, cache.shared.read_only);
  EXPECT_EQ(read.shared.patience_ms, cache.shared.patience_ms);
  DeviceInfo device;
  device.code_traits = "avx2 libc 2.36";
  EXPECT_EQ(device_from(from_cbor(to_cbor(to_json(device)))).code_traits, device.code_traits);
}

TEST(Codec, ImpossibleTrialsAreRefused) {
  search::Trial trial = correct_trial();
  trial.measurement.reset();
  EXPECT_THROW(sent(trial), json::exception);
  for (const double ms : {0.0, 1e-9, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    trial = correct_trial();
    trial.measurement->median_ms = ms;
    EXPECT_THROW(sent(trial), json::exception) << ms;
  }
  trial = correct_trial();
  trial.outcome = search::Outcome::wrong_result;
  EXPECT_THROW(sent(trial), json::exception);
  json text = to_json(correct_trial());
  text["outcome"] = "splendid";
  search::Trial read;
  EXPECT_THROW(read_trial(text, Purpose::trial, read), json::exception);
}

TEST(Codec, DeepNestingIsRefusedBeforeItIsParsed) {
  EXPECT_THROW(from_cbor(std::string(2'000'000, '\x81')), json::exception);
  EXPECT_THROW(from_cbor(std::string(2'000'000, '\xc6')), json::exception);
  EXPECT_THROW(from_cbor(std::string(2'000'000, '\x9f')), json::exception);
}

TEST(Codec, AMessageThatPromisesMoreThanItHoldsIsRefused) {
  using std::string_literals::operator""s;
  for (const std::string& bytes : {"\x9b\x7f\xff\xff\xff\xff\xff\xff\xff"s, "\x5a\xff\xff\xff\xff"s, "\x82\x01"s, ""s,
                                   "\x01\x01"s, "\xbb\xff\xff\xff\xff\xff\xff\xff\xff"s, "\x1c"s})
    EXPECT_THROW(from_cbor(bytes), json::exception);
}

}  // namespace
}  // namespace warptune::tuner::workers
