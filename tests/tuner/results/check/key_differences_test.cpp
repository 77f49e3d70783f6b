#include <gmock/gmock.h>

#include "tuner/results/check/today.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

db::SessionKey key() {
  return {"gemm",
          {"cuda", "NVIDIA H200", "sm_90", "580.1", {}},
          "NVRTC 13.0",
          "5ce1",
          "3a9f",
          "-O3",
          {{"K", std::int64_t{512}}},
          {},
          "verify=1"};
}

std::vector<std::string> parts(const db::SessionKey& today) {
  std::vector<std::string> names;
  for (const KeyDifference& difference : key_differences(key(), today)) names.push_back(difference.part);
  return names;
}

TEST(KeyDifferences, EqualKeysHaveNone) {
  EXPECT_THAT(parts(key()), IsEmpty());
}

TEST(KeyDifferences, LimitsAreNoPartOfTheKey) {
  db::SessionKey today = key();
  today.device.limits = {{"warp_size", std::int64_t{32}}};
  EXPECT_THAT(parts(today), IsEmpty());
}

TEST(KeyDifferences, EveryPartIsNamed) {
  db::SessionKey today = key();
  today.device = {"cuda", "NVIDIA H100", "sm_89", "590.2", {}};
  today.compiler = "NVRTC 13.1";
  today.source_hash = today.manifest_hash = "ffff";
  today.options = "-O2";
  today.policy = "verify=0";
  today.capture = "77aa";
  today.restrictions = {"BLOCK == 256"};
  EXPECT_THAT(parts(today), ElementsAre("device", "architecture", "driver", "compiler", "source", "manifest", "options",
                                        "policy", "capture", "restrictions"));
}

TEST(KeyDifferences, AreExplainedForPeople) {
  Standing standing;
  EXPECT_EQ(standing.explanation(), "");
  standing.differences = {{"driver", "580.1", "590.2"},
                          {"source", "aa", "bb", true},
                          {"options", "", "-O3"},
                          {"device", "NVIDIA H200 is not on this machine", ""}};
  EXPECT_EQ(standing.parts(), "driver, source, options, device");
  EXPECT_EQ(standing.explanation(),
            "driver (580.1 then, 590.2 now), source (changed), options (none then, -O3 now), "
            "device (NVIDIA H200 is not on this machine)");
}

TEST(Today, SaysThatADeviceIsNotHereAndATemplateNotFound) {
  db::SessionRecord session;
  session.key = key();
  session.key.device.backend = "host";
  session.manifest = "/no/such/template.toml";
  Today today({}, [](const db::SessionRecord&) { return std::filesystem::path(); });
  const Standing standing = today.standing(session);
  EXPECT_FALSE(standing.device.has_value());
  EXPECT_FALSE(standing.key.has_value());
  EXPECT_FALSE(standing.sources_not_kept);
  EXPECT_EQ(standing.parts(), "device, template");
}

TEST(Today, OfASessionWithoutAPathComparesTheDeviceAlone) {
  db::SessionRecord session;
  session.key = key();
  session.key.device.backend = "host";
  Today today({}, [](const db::SessionRecord&) { return std::filesystem::path(); });
  const Standing standing = today.standing(session);
  EXPECT_TRUE(standing.sources_not_kept);
  EXPECT_FALSE(standing.key.has_value());
  EXPECT_EQ(standing.parts(), "device");
}

TEST(Today, ABrokenTemplateIsADifferenceNotAnError) {
  db::SessionRecord session;
  BackendOptions options;
  for (const BackendEntry& backend : backends()) {
    std::string why;
    if (backend.name == "host") session.key.device = device_record(backend.devices(options, why).at(0));
  }
  Today today(options, [](const db::SessionRecord&) { return std::filesystem::path("/no/such/template.toml"); });
  const Standing standing = today.standing(session);
  EXPECT_TRUE(standing.device.has_value());
  EXPECT_EQ(standing.parts(), "template");
}

}  // namespace
}  // namespace warptune::tuner
