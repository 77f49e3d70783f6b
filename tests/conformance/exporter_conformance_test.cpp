// What every exporter of the registry must do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/results/exporters/example_wisdom.h"
#include "tuner/kernel/problem.h"
#include "tuner/results/exporters/exporter.h"

namespace warptune::tuner {
namespace {

class ExporterConformance : public testing::TestWithParam<std::string> {
 protected:
  static std::string render(const Wisdom& wisdom) { return find_exporter(GetParam()).render(wisdom); }
  // One exporter is for CUB's algorithms alone.
  static Wisdom example() { return GetParam() == "cub-policy" ? example_cub_wisdom() : example_wisdom(); }
};

TEST_P(ExporterConformance, WritesTheSameTextForTheSameWinnersInAnyOrder) {
  Wisdom shuffled = example();
  std::ranges::reverse(shuffled.entries);
  normalize(shuffled);
  EXPECT_EQ(render(shuffled), render(example()));
}

TEST_P(ExporterConformance, ChangesWithEveryPartOfAnEntry) {
  const std::string before = render(example());
  const auto differs = [&](auto change) {
    Wisdom wisdom = example();
    change(wisdom.entries[1]);
    return render(wisdom) != before;
  };
  EXPECT_TRUE(differs([](WisdomEntry& entry) { entry.device = "NVIDIA H20"; }));
  EXPECT_TRUE(differs([](WisdomEntry& entry) { entry.sizes[0].second = std::int64_t{77}; }));
  EXPECT_TRUE(differs([](WisdomEntry& entry) { entry.values[0].second = std::int64_t{77}; }));
  EXPECT_TRUE(differs([](WisdomEntry& entry) { entry.time_ms = 77; }));
  EXPECT_TRUE(differs([](WisdomEntry& entry) { entry.provenance.driver = "77"; }));
  EXPECT_TRUE(differs([](WisdomEntry& entry) { entry.provenance.trial = 77; }));
}

TEST_P(ExporterConformance, EndsItsLastLineAndHoldsNoControlCharacters) {
  Wisdom wisdom = example();
  wisdom.entries[0].device = "a\tb\rc";
  const std::string text = render(wisdom);
  EXPECT_TRUE(text.ends_with("\n"));
  for (const char c : text) EXPECT_TRUE(c == '\n' || !std::iscntrl(static_cast<unsigned char>(c)));
}

TEST_P(ExporterConformance, InventsNoDefaultConfiguration) {
  Wisdom wisdom = example();
  wisdom.defaults.clear();
  try {
    const std::string text = render(wisdom);
    if (text.find("\"default\"") != std::string::npos) {
      EXPECT_THAT(text, testing::ContainsRegex("\"default\": (null|[{][}])"));
    }
  } catch (const RequestError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("name it with --template"));
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ExporterEntry& entry : exporters()) all.emplace_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, ExporterConformance, testing::ValuesIn(names()), [](const auto& exporter) {
  std::string name = exporter.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace warptune::tuner
