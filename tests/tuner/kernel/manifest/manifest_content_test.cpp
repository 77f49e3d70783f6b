// What of a manifest a session's key is made of.
#include "tuner/kernel/manifest/manifest_content.h"

#include <gtest/gtest.h>

#include "tests/support/small_template.h"

namespace warptune::tuner {
namespace {

std::string content_with(const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  std::string text = doubling_manifest;
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return measured_content(folder.write("template.toml", text));
}

std::string unchanged() {
  return content_with("", "");
}

TEST(MeasuredContent, LeavesOutWhatDescribes) {
  EXPECT_EQ(content_with("name = \"doubling\"", "name = \"doubling\"\nsummary = \"twice as much\""), unchanged());
  EXPECT_EQ(content_with("default = 64", "default = 64\nabout = \"threads per block\""), unchanged());
  EXPECT_EQ(content_with("[arguments.in]",
                         "[techniques.narrow]\nabout = \"Narrow.\"\nlecture = \"7\"\n"
                         "parameters = { BLOCK = 32 }\n[arguments.in]"),
            unchanged());
}

TEST(MeasuredContent, LeavesOutTheStatedWork) {
  EXPECT_EQ(content_with("[arguments.in]", "[work]\nflops = \"n\"\nbytes = \"8 * n\"\n[arguments.in]"), unchanged());
}

TEST(MeasuredContent, LeavesOutWhatTheProblemInTheKeyTellsAnyway) {
  EXPECT_EQ(content_with("[parameters.BLOCK]", "[presets]\nlarge = { n = 100000 }\n[parameters.BLOCK]"), unchanged());
  EXPECT_EQ(content_with("n = 1000", "n = 2000"), unchanged());
}

TEST(MeasuredContent, LeavesOutLayoutAndComments) {
  EXPECT_EQ(content_with("block = \"BLOCK\"", "# threads\n  block   =  \"BLOCK\"  # of a block"), unchanged());
  EXPECT_EQ(content_with("fill = { uniform = [1, 2], seed = 3 }", "[arguments.in.fill]\nuniform = [ 1, 2 ]\nseed = 3"),
            unchanged());
}

TEST(MeasuredContent, ChangesWithWhatIsLaunchedFilledAndCompared) {
  for (const auto& [from, to] : {std::pair("ceildiv(n, BLOCK * EACH)", "ceildiv(n, BLOCK)"),
                                 {"seed = 3", "seed = 4"},
                                 {"role = \"output\"", "role = \"output\"\ntolerance = { relative = 1e-6 }"},
                                 {"default = 64", "default = 32"},
                                 {"values = [32, 64, 128]", "values = [32, 64]"},
                                 {"8 * n / time", "4 * n / time"},
                                 {"type = \"int\"", "type = \"int64\""}})
    EXPECT_NE(content_with(from, to), unchanged()) << from;
}

TEST(MeasuredContent, TellsTextsNumbersAndListsApart) {
  EXPECT_NE(content_with("block = 128", "block = \"128\""), content_with("block = 128", "block = [\"1\", \"28\"]"));
}

}  // namespace
}  // namespace warptune::tuner
