#include "tuner/wisdom/wisdom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/exporters/example_wisdom.h"
#include "tuner/wisdom/wisdom_file.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

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

TEST(WisdomFile, HasOneEntryALine) {
  const std::string text = wisdom_text(example_wisdom());
  EXPECT_EQ(std::ranges::count(text, '\n'), 3 + 5) << text;
}

TEST(WisdomFile, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(error_of("[1, 2"), HasSubstr("w.json: this is no wisdom file"));
  EXPECT_THAT(error_of("[]"), HasSubstr("expected a wisdom file of schema warptune-wisdom/1, found none"));
  EXPECT_THAT(error_of(R"({"schema": "warptune-wisdom/9"})"), HasSubstr("found 'warptune-wisdom/9'"));
  EXPECT_THAT(error_of(R"({"schema": "warptune-wisdom/1", "kernel": 3})"), HasSubstr("no wisdom file"));
  Wisdom mixed = example_wisdom();
  mixed.entries[1].values.pop_back();
  EXPECT_THAT(error_of(wisdom_text(mixed)), HasSubstr("has other parameters or sizes than the rest"));
  EXPECT_THROW(read_wisdom("/no/such/file"), WisdomError);
}

TEST(Wisdom, ThisDeviceComesFirstThenItsArchitectureThenNothing) {
  const Wisdom wisdom = example_wisdom();
  const auto device = [&](const std::string& name, std::int64_t capability, std::int64_t n) {
    std::vector<std::string> found;
    for (const WisdomEntry* entry : candidates(wisdom, name, capability, {{"n", n}}))
      found.push_back(entry->device + " " + search::to_text(entry->sizes));
    return found;
  };
  EXPECT_THAT(device("NVIDIA H200", 90, 2000), testing::ElementsAre("NVIDIA H200 n=1000", "NVIDIA H200 n=1000000"));
  EXPECT_THAT(device("NVIDIA H100", 90, 300000), testing::ElementsAre("NVIDIA H200 n=1000000", "NVIDIA H200 n=1000"));
  EXPECT_THAT(device("other", 70, 1000), testing::IsEmpty());
}

TEST(Wisdom, DistanceIsTheSumOfLogarithmsOfRatios) {
  const search::NamedValues a = {{"M", std::int64_t{100}}, {"N", std::int64_t{100}}};
  const search::NamedValues b = {{"M", std::int64_t{400}}, {"N", std::int64_t{50}}};
  EXPECT_EQ(size_distance(a, b), 8);  // 2 + 1 powers of two
  EXPECT_EQ(size_distance(b, a), 8);
  EXPECT_EQ(size_distance(a, a), 1);
}

}  // namespace
}  // namespace warptune::tuner
