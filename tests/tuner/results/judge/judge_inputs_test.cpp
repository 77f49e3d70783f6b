// What kernels are judged on: sets of inputs, sizes near one, and the room that outputs have there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "search/expression/expression.h"
#include "tests/support/small_template.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/results/judge/inputs.h"
#include "tuner/results/judge/judge.h"
#include "tuner/results/judge/manifest_json.h"
#include "tuner/results/judge/second_look.h"

namespace warptune::tuner::judge {
namespace {

Json doubling() {
  return manifest_json(doubling_manifest, "/somewhere/template.toml");
}

TEST(JudgeManifest, ATreeReadsBackAsTheManifestThatItWas) {
  const TemporaryFolder folder;
  write_doubling_template(folder);
  const Json tree = manifest_json(doubling_manifest, folder.path() / "template.toml");
  const KernelTemplate again = parse_manifest(toml_text(tree), "/elsewhere/template.toml");
  EXPECT_EQ(again.source, folder.path() / "kernel.cu");
  EXPECT_EQ(again.reference.source, folder.path() / "reference.cu");
  EXPECT_EQ(again.constraints, std::vector<std::string>{"BLOCK * EACH <= 1024"});
  EXPECT_EQ(again.default_values.size(), 3U);
  EXPECT_EQ(again.metrics.front().name, "GB/s");
}

TEST(JudgeManifest, TextsWithQuotesAndControlCharactersSurvive) {
  const Json tree = {{"summary", "a \"b\" \\ \n\x7f"}, {"x", {{"y", 1e-40}, {"z", 2.0}}}};
  const Json again =
      manifest_json("name = \"n\"\nreference = {default_configuration = true}\n" + toml_text(tree), "/t.toml");
  EXPECT_EQ(again["summary"], tree["summary"]);
  EXPECT_EQ(again["x"], tree["x"]);
}

TEST(JudgeInputs, DrawnArgumentsGetOtherValuesAndOthersStay) {
  const Json zeros = with_inputs(doubling(), Inputs::zeros, 5);
  EXPECT_EQ(zeros["arguments"]["in"]["fill"], (Json{{"constant", 0.0}}));
  EXPECT_EQ(zeros["arguments"]["count"], doubling()["arguments"]["count"]);
  const Json negative = with_inputs(doubling(), Inputs::negative, 5);
  EXPECT_LT(negative["arguments"]["in"]["fill"]["uniform"][1].get<double>(), 0);
  const Json wide = with_inputs(doubling(), Inputs::wide, 5);
  EXPECT_EQ(wide["arguments"]["in"]["fill"]["uniform"], (Json{-16.0, 16.0}));
  EXPECT_TRUE(with_inputs(doubling(), Inputs::outliers, 5)["arguments"]["in"]["fill"].contains("normal"));
  const Json large = with_inputs(doubling(), Inputs::large, 5);
  EXPECT_EQ(large["arguments"]["in"]["fill"]["uniform"][1], 2048.0);
}

// An inout of floats, an output of integers and one that must be exact, beside the doubling's own.
Json with_outputs() {
  Json manifest = doubling();
  Json& arguments = manifest["arguments"];
  arguments["out"]["tolerance"] = {{"absolute", 0.5}, {"relative", 0.25}};
  arguments["exact"] = {{"type", "float"}, {"shape", {"n"}}, {"role", "output"}, {"tolerance", {{"absolute", 0}}}};
  arguments["count"] = {{"type", "int32"}, {"shape", {"n"}}, {"role", "output"}};
  return manifest;
}

search::Value absolute_of(const Json& manifest, const char* output) {
  return search::Expression::parse(expression_text(manifest.at("arguments").at(output).at("tolerance").at("absolute")))
      .evaluate(search::NamedValues{});
}

TEST(JudgeRoom, ItGrowsAsTheOutputsDoAndByHalfOfTheirDigits) {
  const Json grown = with_room(with_outputs(), Room::rough, {{"out", {1024, 2}}});
  EXPECT_NEAR(search::to_double(absolute_of(grown, "out")), 0.5 * 512 + 1024 * 3.45e-4, 1e-3);
  EXPECT_EQ(grown["arguments"]["out"]["tolerance"]["relative"], 0.25);
  // Outputs that stay small get next to nothing.
  const Json small = with_room(with_outputs(), Room::rough, {{"out", {1, 2}}});
  EXPECT_NEAR(search::to_double(absolute_of(small, "out")), 0.5, 1e-3);
  EXPECT_EQ(with_room(with_outputs(), Room::own, {{"out", {1024, 2}}}), with_outputs());
}

TEST(JudgeRoom, IntegersMayBeTheNextOneOnlyWhereInputsHaveDigitsToLose) {
  EXPECT_EQ(absolute_of(with_room(with_outputs(), Room::rough, {}), "count"), search::Value(std::int64_t{1}));
  Json integers = with_outputs();
  integers["arguments"]["in"]["type"] = "int32";
  for (const Room room : {Room::rough, Room::any})
    EXPECT_FALSE(with_room(integers, room, {})["arguments"]["count"].contains("tolerance"));
}

TEST(JudgeRoom, WhatMustBeExactStaysSoAndTellsNothingOfShakenInputs) {
  EXPECT_EQ(absolute_of(with_room(with_outputs(), Room::any, {}), "exact"), search::Value(std::int64_t{0}));
  EXPECT_GT(search::to_double(absolute_of(with_exact_outputs_left_out(with_outputs()), "exact")), 1e200);
}

TEST(JudgeInputs, EqualSeedsStayEqualAndAnotherDrawIsAnotherOne) {
  Json manifest = doubling();
  manifest["arguments"]["other"] = manifest["arguments"]["in"];
  const auto seed = [&](std::uint64_t draw, const char* name) {
    return with_inputs(manifest, Inputs::as_drawn, draw)["arguments"][name]["fill"]["seed"].get<std::int64_t>();
  };
  EXPECT_EQ(seed(1, "in"), seed(1, "other"));
  EXPECT_NE(seed(1, "in"), seed(2, "in"));
  EXPECT_GE(seed(~0ULL, "in"), 0);
}

TEST(JudgeInputs, IntegersStayInTheirRange) {
  Json manifest = doubling();
  manifest["arguments"]["in"]["type"] = "int32";
  manifest["arguments"]["in"]["fill"] = {{"uniform", {3, 90}}};
  const auto fill = [&](Inputs inputs) { return with_inputs(manifest, inputs, 1)["arguments"]["in"]["fill"]; };
  EXPECT_EQ(fill(Inputs::negative), (Json{{"constant", 3}}));
  EXPECT_EQ(fill(Inputs::large), (Json{{"constant", 90}}));
  EXPECT_TRUE(fill(Inputs::zeros).contains("uniform"));
  EXPECT_FALSE(changes(manifest, Inputs::zeros));
  EXPECT_FALSE(changes(manifest, Inputs::tiny));
}

Json with_integers(const char* type, std::vector<int> range) {
  Json manifest = doubling();
  manifest["arguments"]["in"]["type"] = type;
  manifest["arguments"]["in"]["fill"] = {{"uniform", range}};
  return manifest;
}

TEST(JudgeInputs, IntegersOfARangeThatNobodyHasSaidGetWiderOnes) {
  const Json manifest = with_integers("int32", {0, 100});
  const auto ranges = wider_ranges(manifest, {{"n", std::int64_t{1000}}});
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].at("in"), (Range{-32768, 32767}));
  EXPECT_EQ(ranges[1].at("in"), (Range{0, 999}));  // they may be indices
  const Json wide = with_inputs(manifest, Inputs::wide, 1, ranges[0]);
  EXPECT_EQ(wide["arguments"]["in"]["fill"]["uniform"], (Json{-32768.0, 32767.0}));
  EXPECT_FALSE(changes(manifest, Inputs::wide));
  EXPECT_EQ(wider_ranges(with_integers("uint8", {0, 100}), {})[0].at("in"), (Range{0, 255}));
  EXPECT_TRUE(wider_ranges(with_integers("int32", {0, 1}), {{"n", std::int64_t{1000}}}).empty());
}

TEST(JudgeInputs, OutliersOfIntegersStayInTheirRange) {
  const Json fill = with_inputs(with_integers("int32", {0, 140}), Inputs::outliers, 1)["arguments"]["in"]["fill"];
  EXPECT_EQ(fill["normal"], (Json{70.0, 10.0}));
  EXPECT_FALSE(changes(with_integers("int32", {0, 9}), Inputs::outliers));
}

TEST(JudgeInputs, NumbersThatArePassedByValueAreDrawnAndSizesAreNot) {
  Json manifest = doubling();
  manifest["arguments"]["a"] = {{"type", "float"}, {"value", 1.5}};
  manifest["arguments"]["k"] = {{"type", "int32"}, {"value", 3}};
  const Json other = with_other_scalars(manifest, 7)["arguments"];
  EXPECT_NE(other["a"]["value"], 1.5);
  EXPECT_GE(other["a"]["value"].get<double>(), 0.75);
  EXPECT_LE(other["a"]["value"].get<double>(), 3);
  EXPECT_EQ(other["k"]["value"], 3);
  EXPECT_EQ(other["count"], manifest["arguments"]["count"]);
  EXPECT_EQ(with_other_scalars(manifest, 7)["arguments"], other);
}

TEST(JudgeInputs, FixedAndGivenDataNeverChange) {
  Json manifest = doubling();
  manifest["arguments"]["in"]["fill"]["fixed"] = true;
  for (const Inputs inputs : all_inputs()) EXPECT_FALSE(changes(manifest, inputs));
}

TEST(JudgeSizes, NearSizesAreNoMultiplesAndSmallOnesStay) {
  const Problem problem{{{"n", std::int64_t{1024}}, {"radius", std::int64_t{5}}, {"taps", std::int64_t{64}}}, {}};
  const auto near = near_problems(problem, {"taps"}, 5);
  ASSERT_EQ(near.size(), 3U);
  EXPECT_EQ(near[0].text(), "n=1023,radius=5,taps=64");
  EXPECT_EQ(near[1].text(), "n=513,radius=5,taps=64");
  EXPECT_TRUE(near_problems({{{"n", std::int64_t{4}}}, {}}, {}, 5).empty());
}

TEST(JudgeSizes, OneIsDrawnAndTheSeedDrawsItAgain) {
  const Problem problem{{{"n", std::int64_t{1024}}}, {}};
  std::set<std::string> drawn;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Problem found = near_problems(problem, {}, seed).back();
    EXPECT_EQ(found, near_problems(problem, {}, seed).back());
    const auto size = std::get<std::int64_t>(found.sizes.front().second);
    EXPECT_GT(size, 513);
    EXPECT_LT(size, 1023);
    drawn.insert(found.text());
  }
  EXPECT_GE(drawn.size(), 4U);
  EXPECT_GE(std::get<std::int64_t>(near_problems({{{"n", std::int64_t{16}}}, {}}, {}, 1).back().sizes[0].second), 9);
}

}  // namespace
}  // namespace warptune::tuner::judge
