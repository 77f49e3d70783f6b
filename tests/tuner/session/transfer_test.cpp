#include "tuner/session/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Transfer : public testing::Test {
 protected:
  static db::SessionKey key(const std::string& device, std::int64_t n) {
    db::SessionKey key;
    key.kernel = "doubling";
    key.device.backend = "cuda";
    key.device.name = device;
    key.compiler = "NVRTC 13.0";
    key.source_hash = "source";
    key.manifest_hash = "manifest";
    key.policy = "default";
    key.problem_size = {{"n", n}};
    return key;
  }

  // A session with trials of BLOCK = 32, 64, …, so many.
  db::SessionId add(const db::SessionKey& key, int trials = 3, const std::string& objective = "time") {
    db::SessionRecord record;
    record.key = key;
    record.strategy = "random";
    record.objective = objective;
    record.space_size = "4";
    record.tool_version = "1";
    const db::SessionId id = store_.create_session(record);
    for (int i = 0; i < trials; ++i) {
      search::Trial trial;
      trial.measurement = search::Measurement{{1.0 + i}, 1.0 + i};
      trial.objectives = {1.0 + i};
      store_.record(id, {{"BLOCK", std::int64_t{32} << i}}, trial);
    }
    return id;
  }

  std::vector<TransferSource> sources(const TransferRequest& request, const db::SessionKey& key,
                                      db::SessionId own = 0) const {
    return transfer_sources(store_, request, {key, own, objective_, space_, {}});
  }
  static std::vector<db::SessionId> ids(const std::vector<TransferSource>& sources) {
    std::vector<db::SessionId> ids;
    for (const TransferSource& source : sources) ids.push_back(source.session.id);
    return ids;
  }
  // A session as a file has it, with trials of BLOCK = 32, 64, …, so many.
  static EarlierSession told(const db::SessionKey& key, int trials = 3, const std::string& objective = "time") {
    EarlierSession session;
    session.record.key = key;
    session.record.objective = objective;
    for (int i = 0; i < trials; ++i) {
      db::StoredTrial trial;
      trial.values = {{"BLOCK", std::int64_t{32} << i}};
      trial.trial.objectives = {1.0 + i};
      session.trials.push_back(trial);
    }
    return session;
  }
  std::string refusal(const std::vector<std::string>& words, const std::vector<EarlierFile>& files = {}) const {
    try {
      sources(parse_transfer(words, files), key("H200", 1024));
    } catch (const RequestError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  db::Store store_ = db::Store::open(folder_.path() / "store.db", db::OpenMode::read_write);
  std::string objective_ = "time";
  search::SearchSpace space_ = search::SearchSpace::build(
      {{"BLOCK", {std::int64_t{32}, std::int64_t{64}, std::int64_t{128}, std::int64_t{256}}}}, {});
};

TEST_F(Transfer, TakesTheClosestByDeviceThenBySize) {
  const auto far_size = add(key("H200", 1 << 20)), other_gpu = add(key("A100", 1024)),
             near_size = add(key("H200", 2048));
  const auto found = sources({}, key("H200", 1024));
  EXPECT_THAT(ids(found), ElementsAre(near_size, other_gpu, far_size));
  EXPECT_GT(found[0].trials.weight, found[1].trials.weight);
  EXPECT_EQ(found[0].trials.entries.size(), 3u);
  EXPECT_EQ(text_of(found).substr(0, 52), "3 earlier sessions: 3 (H200, n=2048), 2 (A100, n=102");
}

// As `warptune devices` has them; bandwidths are 1,555, 3,352 and 4,814 GB/s.
search::NamedValues limits_of(std::int64_t multiprocessors, std::int64_t memory_clock_khz, std::int64_t bus_bits,
                              std::int64_t shared_bytes, std::int64_t compute_capability) {
  return {{"multiprocessors", multiprocessors},
          {"memory_clock_khz", memory_clock_khz},
          {"memory_bus_bits", bus_bits},
          {"max_registers_per_multiprocessor", std::int64_t{65536}},
          {"max_shared_memory_per_multiprocessor", shared_bytes},
          {"compute_capability", compute_capability}};
}

TEST_F(Transfer, TakesTheGpuWithTheMostSimilarResourcesFirst) {
  db::SessionKey h200 = key("H200", 1024), h100 = key("H100", 1024), a100 = key("A100", 1024), other = key("?", 1024);
  h200.device.limits = limits_of(132, 3'201'000, 6016, 233'472, 90);
  h100.device.limits = limits_of(132, 2'619'000, 5120, 233'472, 90);
  a100.device.limits = limits_of(108, 1'215'000, 5120, 167'936, 80);
  const auto of_unknown = add(other), of_a100 = add(a100), of_h100 = add(h100);
  const auto found = sources({}, h200);
  EXPECT_THAT(ids(found), ElementsAre(of_h100, of_unknown, of_a100));
  EXPECT_NEAR(1 / found[0].trials.weight, 1.27, 0.01);
  EXPECT_EQ(found[1].trials.weight, 0.5);
}

TEST_F(Transfer, LeavesOutItselfOtherObjectivesOtherBackendsAndWhatTellsNothing) {
  const auto own = add(key("H200", 1024));
  add(key("H200", 2048), 3, "joules");
  add(key("H200", 4096), 1);
  db::SessionKey host = key("CPU", 1024);
  host.device.backend = "host";
  add(host);
  EXPECT_THAT(ids(sources({}, key("H200", 1024), own)), IsEmpty());
}

TEST_F(Transfer, TwoCorrectTrialsAreEnoughToLearnFrom) {
  add(key("H200", 512), 1);
  const auto two = add(key("H200", 2048), 2);
  EXPECT_THAT(ids(sources({}, key("H200", 1024))), ElementsAre(two));
}

TEST_F(Transfer, LeavesOutTrialsWithValuesThatAreNotHere) {
  add(key("H200", 2048), 6);  // BLOCK up to 1024
  const auto found = sources({}, key("H200", 1024));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].trials.entries.size(), 4u);
}

TEST_F(Transfer, TakesNamedSessionsInTheirOrderAndNoneWhenOff) {
  const auto first = add(key("A100", 8)), second = add(key("H200", 16));
  store_.label(second, {.name = "baseline"});
  EXPECT_THAT(ids(sources(parse_transfer({"1", "baseline"}), key("H200", 1024))), ElementsAre(first, second));
  EXPECT_THAT(sources(parse_transfer({"off"}), key("H200", 1024)), IsEmpty());
  EXPECT_TRUE(parse_transfer({}).automatic);
}

TEST_F(Transfer, TakesTheClosestSessionsOfAFileBehindNamedOnes) {
  add(key("A100", 8));
  const EarlierFile file{"w.json",
                         {told(key("A100", 1024)), told(key("H200", 1), 1), told(key("H200", 2048)),
                          told(key("H100", 1 << 20)), told(key("H200", 1 << 20)), told(key("H200", 1024))}};
  const auto found = sources(parse_transfer({"1"}, {file}), key("H200", 1024));
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(text_of(found),
            "5 earlier sessions: 1 (A100, n=8), w.json (H200, n=1024), w.json (H200, n=2048), w.json (A100, n=1024), "
            "w.json (H200, n=1048576)");
  EXPECT_EQ(found[1].trials.entries.size(), 3u);
}

TEST_F(Transfer, RefusesFilesThatTellNothingAndFilesBesideASetting) {
  EXPECT_THAT(refusal({}, {{"w.json", {told(key("H200", 8), 1)}}}), HasSubstr("w.json has no two correct trials"));
  EXPECT_THAT(refusal({}, {{"empty.json", {}}}), HasSubstr("empty.json has no two correct trials"));
  EXPECT_THAT(refusal({}, {{"w.json", {told(key("H200", 8), 3, "joules")}}}), HasSubstr("w.json was tuned for joules"));
  EXPECT_THAT(refusal({"off"}, {{"w.json", {told(key("H200", 8))}}}), HasSubstr("and not both"));
}

TEST_F(Transfer, RefusesSessionsThatAreNotThereOrTellNothing) {
  EXPECT_THAT(refusal({"7"}), HasSubstr("there is no session 7"));
  EXPECT_THAT(refusal({"nightly"}), HasSubstr("no session has that name"));
  EXPECT_THAT(refusal({"auto", "7"}), HasSubstr("and not both"));
  add(key("H200", 16), 1);
  EXPECT_THAT(refusal({"1"}), HasSubstr("nothing carries over"));
  add(key("H200", 32), 3, "joules");
  EXPECT_THAT(refusal({"2"}), HasSubstr("was tuned for joules"));
}

}  // namespace
}  // namespace warptune::tuner
