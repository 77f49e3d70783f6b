#include "tuner/results/wisdom/wisdom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "db/settled.h"
#include "tests/tuner/results/exporters/example_wisdom.h"
#include "tuner/results/wisdom/wisdom_file.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string error_of(const std::string& text) {
  try {
    parse_wisdom(text, "w.json");
  } catch (const WisdomError& error) {
    return error.what();
  }
  return "no error";
}

TEST(WisdomFile, ComesBackAsItWas) {
  const std::string text = wisdom_text(example_wisdom());
  const Wisdom wisdom = parse_wisdom(text, "w.json");
  EXPECT_EQ(wisdom.kernel, "my-kernel");
  EXPECT_EQ(wisdom.defaults, example_wisdom().defaults);
  ASSERT_EQ(wisdom.entries.size(), 3u);
  EXPECT_EQ(wisdom.entries[1].values, example_wisdom().entries[1].values);
  EXPECT_EQ(wisdom.entries[1].gain, 1.25);
  EXPECT_EQ(wisdom_text(wisdom), text);
}

TEST(WisdomFile, KeepsWhatLaunchesWereMeasuredWith) {
  Wisdom wisdom = example_wisdom();
  wisdom.entries[1].launch_attributes = {{"scale<\"x\">", {{"cluster_x", 2}, {"priority", -1}}}};
  wisdom.default_launch_attributes = {{"scale", {{"carveout", 0}}}};
  const Wisdom back = parse_wisdom(wisdom_text(wisdom), "w.json");
  EXPECT_EQ(back.entries[1].launch_attributes, wisdom.entries[1].launch_attributes);
  EXPECT_TRUE(back.entries[0].launch_attributes.empty());
  EXPECT_EQ(back.default_launch_attributes, wisdom.default_launch_attributes);
}

TEST(WisdomFile, IsRefusedWhereAVariantHasNoValues) {
  const std::string text = wisdom_text(example_wisdom());
  const auto with_variants = [&](const std::string& variants) {
    const std::size_t begin = text.find("\"variants\": ") + 12, end = text.find(",\n", begin);
    return std::string(text).replace(begin, end - begin, variants);
  };
  for (const char* domain : {"[]", "null", "{}", "1.5", "\"a\"", "{\"a\":1}", "true"})
    EXPECT_THAT(error_of(with_variants(std::string("{\"V\":") + domain + "}")), HasSubstr("V has no list of values"))
        << domain;
  EXPECT_THAT(error_of(with_variants("[]")), HasSubstr("this is no wisdom file"));
  EXPECT_THAT(error_of(with_variants(R"({"V":["a","b"]})")), HasSubstr("no entry says which V it was tuned for"));
  EXPECT_EQ(error_of(with_variants("{}")), "no error");
}

// One round of finals gives none.
TEST(WisdomFile, AnErrorThatIsNotKnownIsNullAndReadBack) {
  Wisdom wisdom = example_wisdom();
  wisdom.entries[0].relative_error = std::numeric_limits<double>::infinity();
  wisdom.entries[1].relative_error = 0;
  wisdom.entries[2].relative_error = 0.25;
  const std::string text = wisdom_text(wisdom);
  EXPECT_THAT(text, AllOf(HasSubstr("\"relative_error\":null"), HasSubstr("\"relative_error\":0.25")));
  EXPECT_THAT(text, Not(HasSubstr("\"relative_error\":0.0")));
  const Wisdom back = parse_wisdom(text, "w.json");
  for (const std::size_t i : {0U, 1U}) EXPECT_FALSE(db::known_error(back.entries[i].relative_error)) << i;
  EXPECT_EQ(wisdom_text(back), text);
}

TEST(WisdomFile, HasOneEntryALine) {
  const std::string text = wisdom_text(example_wisdom());
  EXPECT_EQ(std::ranges::count(text, '\n'), 3 + 6) << text;
}

TEST(WisdomFile, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(error_of("[1, 2"), AllOf(HasSubstr("w.json: this is no wisdom file"), Not(HasSubstr("json.exception"))));
  EXPECT_THAT(error_of("[]"), HasSubstr("expected a wisdom file of schema warptune-wisdom/2, found none"));
  EXPECT_THAT(error_of(R"({"schema": "warptune-wisdom/9"})"), HasSubstr("found 'warptune-wisdom/9'"));
  EXPECT_THAT(error_of(R"({"schema": "warptune-wisdom/1", "kernel": 3})"), HasSubstr("no wisdom file"));
  Wisdom mixed = example_wisdom();
  mixed.entries[1].values.pop_back();
  EXPECT_THAT(error_of(wisdom_text(mixed)), HasSubstr("has other parameters, sizes or variants than the rest"));
  EXPECT_THROW(read_wisdom("/no/such/file"), WisdomError);
}

TEST(Wisdom, ThisDeviceComesFirstThenItsArchitectureThenNothing) {
  const Wisdom wisdom = example_wisdom();
  const auto device = [&](const std::string& name, std::int64_t capability, std::int64_t n) {
    std::vector<std::string> found;
    for (const WisdomEntry* entry : candidates(wisdom, name, capability, {.sizes = {{"n", n}}}))
      found.push_back(entry->device + " " + search::to_text(entry->sizes));
    return found;
  };
  EXPECT_THAT(device("NVIDIA H200", 90, 2000), testing::ElementsAre("NVIDIA H200 n=1000", "NVIDIA H200 n=1000000"));
  EXPECT_THAT(device("NVIDIA H100", 90, 300000), testing::ElementsAre("NVIDIA H200 n=1000000", "NVIDIA H200 n=1000"));
  EXPECT_THAT(device("other", 70, 1000), testing::IsEmpty());
}

Wisdom of_two_precisions() {
  Wisdom wisdom = example_wisdom();
  wisdom.entries = {wisdom.entries[1], wisdom.entries[1]};
  wisdom.entries[0].variants = {{"PRECISION", std::string("float")}, {"TURNED", false}};
  wisdom.entries[1].variants = {{"PRECISION", std::string("double")}, {"TURNED", false}};
  wisdom.entries[1].sizes[0].second = std::int64_t{1'000'000};
  wisdom.variants = {{"PRECISION", {std::string("half"), std::string("float"), std::string("double")}},
                     {"TURNED", {false, true}}};
  normalize(wisdom);
  return wisdom;
}

TEST(Wisdom, AVariantIsMatchedExactlyHoweverNearTheSizeOfAnother) {
  const Wisdom wisdom = of_two_precisions();
  const auto found = [&](const char* precision, bool turned) {
    std::vector<std::string> texts;
    const Problem problem{{{"n", std::int64_t{1000}}}, {{"TURNED", turned}, {"PRECISION", std::string(precision)}}};
    for (const WisdomEntry* entry : candidates(wisdom, "NVIDIA H200", 90, problem))
      texts.push_back(search::to_text(entry->variants) + " " + search::to_text(entry->sizes));
    return texts;
  };
  EXPECT_THAT(found("double", false), testing::ElementsAre("PRECISION=double,TURNED=false n=1000000"));
  EXPECT_THAT(found("float", false), testing::ElementsAre("PRECISION=float,TURNED=false n=1000"));
  EXPECT_THAT(found("half", false), testing::IsEmpty());
  EXPECT_THAT(found("float", true), testing::IsEmpty());
  EXPECT_TRUE(candidates(wisdom, "NVIDIA H200", 90, {.sizes = {{"n", std::int64_t{1000}}}}).empty());
}

TEST(WisdomFile, KeepsVariantsAndWhatTheTemplateOffers) {
  const std::string text = wisdom_text(of_two_precisions());
  const Wisdom wisdom = parse_wisdom(text, "w.json");
  EXPECT_EQ(wisdom_text(wisdom), text);
  EXPECT_EQ(wisdom.entries[0].variants, of_two_precisions().entries[0].variants);
  ASSERT_EQ(wisdom.variants.size(), 2u);
  EXPECT_EQ(wisdom.variants[0].values.size(), 3u);
}

TEST(WisdomFile, OfTheFirstSchemaIsReadAndItsNumberedKindsGetTheirNames) {
  const char old[] = R"({"schema": "warptune-wisdom/1", "kernel": "gemm", "default": {"B": 1}, "entries": [
    {"device": "D", "compute_capability": 90, "configuration": {"B": 2},
     "sizes": {"K": 3, "M": 1, "N": 2, "PRECISION": 2, "TRANSPOSE_A": 1, "TRANSPOSE_B": 2}}]})";
  const Wisdom wisdom = parse_wisdom(old, "w.json");
  ASSERT_EQ(wisdom.entries.size(), 1u);
  EXPECT_EQ(search::to_text(wisdom.entries[0].sizes), "K=3,M=1,N=2");
  EXPECT_EQ(search::to_text(wisdom.entries[0].variants), "PRECISION=double,TRANSPOSE_A=false,TRANSPOSE_B=true");
  EXPECT_EQ(wisdom.variants.at(0).values.at(0), search::Value(std::string("float")));  // the default comes first
}

TEST(WisdomFile, ANumberedKindGetsTheNameThatTheTemplateHasForItToday) {
  const char old[] = R"({"schema": "warptune-wisdom/1", "kernel": "conv_layer", "default": {"B": 1}, "entries": [
    {"device": "D", "compute_capability": 90, "configuration": {"B": 2}, "sizes": {"HEIGHT": 3, "PADDING": 2}}]})";
  const Wisdom wisdom = parse_wisdom(old, "w.json");
  EXPECT_EQ(search::to_text(wisdom.entries.at(0).sizes), "HEIGHT=3");
  EXPECT_EQ(search::to_text(wisdom.entries.at(0).variants), "PAD=same");
}

TEST(Wisdom, SizesKeepTheNewestEntrysOrder) {
  Wisdom wisdom = example_wisdom();
  wisdom.entries[0].sizes = {{"K", std::int64_t{1}}, {"M", std::int64_t{2}}};
  wisdom.entries[1].sizes = {{"M", std::int64_t{3}}, {"K", std::int64_t{4}}};
  wisdom.entries[1].provenance.measured_at = "2027-01-01T00:00:00Z";
  wisdom.entries.pop_back();
  normalize(wisdom);
  for (const WisdomEntry& entry : wisdom.entries) EXPECT_EQ(entry.sizes[0].first, "M");
}

TEST(Wisdom, DistanceIsTheSumOfLogarithmsOfRatios) {
  const search::NamedValues a = {{"M", std::int64_t{100}}, {"N", std::int64_t{100}}};
  const search::NamedValues b = {{"M", std::int64_t{400}}, {"N", std::int64_t{50}}};
  EXPECT_EQ(size_distance(a, b), 8);  // 2 + 1 powers of two
  EXPECT_EQ(size_distance(b, a), 8);
  EXPECT_EQ(size_distance(a, a), 1);
}

TEST(Wisdom, ARuleSaysWhichDimensionsCountAndTheSizeItselfComesFirst) {
  Wisdom wisdom = example_wisdom();
  wisdom.entries.resize(2);
  for (WisdomEntry& entry : wisdom.entries) entry.device = "D";
  wisdom.entries[0].sizes = {{"M", std::int64_t{100}}, {"N", std::int64_t{100}}};
  wisdom.entries[1].sizes = {{"M", std::int64_t{800}}, {"N", std::int64_t{1000}}};
  const auto nearest = [&](std::int64_t m, std::int64_t n) {
    return search::to_text(candidates(wisdom, "D", 0, {.sizes = {{"M", m}, {"N", n}}}).front()->sizes);
  };
  EXPECT_EQ(nearest(200, 1000), "M=800,N=1000");
  wisdom.rule = SizeRule{.weights = {{"M", 1}, {"N", 0}}};
  EXPECT_EQ(nearest(200, 1000), "M=100,N=100");
  wisdom.rule = SizeRule{.weights = {{"M", 0}, {"N", 0}}};
  EXPECT_EQ(nearest(800, 1000), "M=800,N=1000");
}

TEST(WisdomFile, KeepsWhatAPredictionCosts) {
  Wisdom wisdom = example_wisdom();
  wisdom.rule = SizeRule{{{"n", 2}}, 12, 0.021, 0.08};
  const std::string text = wisdom_text(wisdom);
  const Wisdom read = parse_wisdom(text, "w.json");
  EXPECT_EQ(wisdom_text(read), text);
  ASSERT_TRUE(read.rule);
  EXPECT_EQ(read.rule->weights.at("n"), 2);
  EXPECT_EQ(read.rule->left_out, 12u);
  EXPECT_EQ(read.rule->mean_regret, 0.021);
  EXPECT_FALSE(parse_wisdom(wisdom_text(example_wisdom()), "w.json").rule);
  std::string many = text;
  many.replace(many.find("\"n\":2}"), 6, "\"n\":2000");
  EXPECT_THROW(parse_wisdom(many, "w.json"), WisdomError) << "it would take for ever";
}

}  // namespace
}  // namespace warptune::tuner
