// The named configurations of a manifest.
#include "tuner/kernel/manifest/techniques.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/host_trials.h"
#include "tests/support/places.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

KernelTemplate with_techniques(const std::string& techniques) {
  const std::filesystem::path file = source_folder() + "/templates/scan/template.toml";
  std::ifstream stream(file);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  text.erase(std::min(text.find("[techniques."), text.size()));
  return parse_manifest(text + techniques, file);
}

std::string techniques_error(const std::string& techniques) {
  try {
    with_techniques(techniques);
  } catch (const ManifestError& error) {
    return error.what();
  }
  return "";
}

TEST(Techniques, GiveAConfigurationAName) {
  const KernelTemplate kernel = with_techniques(R"(
[techniques.exclusive_tree]
about = "sums up a balanced tree, then down"
lecture = "notes"
parameters = { BLOCK_SCAN = "blelloch" }
variants = { KIND = "exclusive" }
)");
  const Technique& technique = find_technique(kernel, "exclusive_tree");
  EXPECT_EQ(technique.about, "sums up a balanced tree, then down");
  EXPECT_EQ(technique.lecture, "notes");
  EXPECT_EQ(search::to_text(technique.parameters), "BLOCK_SCAN=blelloch");
  EXPECT_EQ(search::to_text(technique.variants), "KIND=exclusive");
}

TEST(Techniques, AnUnknownOneIsAnsweredWithThoseThereAre) {
  const KernelTemplate kernel = with_techniques("[techniques.a]\nabout = \"x\"\n[techniques.b]\nabout = \"y\"\n");
  try {
    find_technique(kernel, "c");
    FAIL();
  } catch (const RequestError& error) {
    EXPECT_STREQ(error.what(), "scan has no technique 'c'; it has a, b");
  }
}

TEST(Techniques, NameParametersAndValuesThatThereAre) {
  EXPECT_THAT(techniques_error("[techniques.a]\nabout = \"x\"\nparameters = { BLOCKSCAN = 1 }\n"),
              HasSubstr("techniques.a.parameters.BLOCKSCAN: there is no parameter 'BLOCKSCAN'"));
  EXPECT_THAT(techniques_error("[techniques.a]\nabout = \"x\"\nparameters = { BLOCK_SCAN = \"none\" }\n"),
              HasSubstr("none is not a value of the parameter BLOCK_SCAN"));
  EXPECT_THAT(techniques_error("[techniques.a]\nabout = \"x\"\nvariants = { KIND = \"none\" }\n"),
              HasSubstr("none is not a value of the variant KIND"));
  EXPECT_THAT(techniques_error("[techniques.\"a b\"]\nabout = \"x\"\n"), HasSubstr("letters, digits and '_'"));
  EXPECT_THAT(techniques_error("[techniques.a]\n"), HasSubstr("about"));
}

TEST(Techniques, StateEffectsInCountsOfTheirOwnAndOfOthers) {
  const KernelTemplate kernel = with_techniques(R"(
[techniques.plain]
about = "x"
[techniques.better]
about = "y"
effect = ["global_loads == plain.global_loads / 2 + 0 * plain.global_loads", "block_barriers == 1"]
)");
  const Technique& better = find_technique(kernel, "better");
  ASSERT_EQ(better.effects.size(), 2);
  EXPECT_EQ(better.effects[1].text, "block_barriers == 1");
  ASSERT_EQ(better.effects[0].terms.size(), 1);
  const auto& [name, technique, count] = better.effects[0].terms[0];
  EXPECT_EQ(technique, "plain");
  EXPECT_EQ(count, "global_loads");
  using Values = search::NamedValues;
  EXPECT_TRUE(search::truth(
      better.effects[0].holds.evaluate(Values{{"global_loads", std::int64_t{4}}, {name, std::int64_t{8}}})));
  EXPECT_FALSE(search::truth(
      better.effects[0].holds.evaluate(Values{{"global_loads", std::int64_t{4}}, {name, std::int64_t{4}}})));
}

TEST(Techniques, RefuseEffectsOfWhatIsNotThere) {
  const auto error_of = [](const std::string& effect) {
    return techniques_error("[techniques.a]\nabout = \"x\"\neffect = \"" + effect + "\"\n");
  };
  EXPECT_THAT(error_of("loads == 1"), HasSubstr("'loads' is no count, parameter, variant or size"));
  EXPECT_THAT(error_of("global_loads == b.global_loads"), HasSubstr("there is no technique 'b'"));
  EXPECT_THAT(error_of("global_loads == a.loads"), HasSubstr("'loads' is no count"));
  EXPECT_THAT(error_of("global_loads == "), HasSubstr("in 'global_loads == '"));
}

}  // namespace
}  // namespace warptune::tuner
