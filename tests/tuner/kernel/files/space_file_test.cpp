#include "tuner/kernel/files/space_file.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/t1/t1.h"

namespace warptune::tuner {
namespace {

std::string texts(const std::vector<search::Value>& values) {
  std::string result;
  for (const search::Value& value : values) result += search::to_text(value) + " ";
  return result;
}

TEST(SpaceFile, ReadsPlainParametersAndConstraints) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("s.json", R"({"parameters": {"b": [1, 2, 4], "a": [1, 2]}, "constraints": ["b % a == 0"]})");
  const search::SearchSpace space = load_space_file(file);
  EXPECT_EQ(space.parameters()[0].name, "b");
  EXPECT_EQ(search::to_text(space.size()), "5");
}

// clang-format off
TEST(SpaceFile, ReadsT1) {
  const TemporaryFolder folder;
  const auto file = folder.write("t1.json", R"json({"ConfigurationSpace": {
    "TuningParameters": [{"Name": "x", "Type": "int", "Values": "[1, 2] + list(range(4, 8+1, 2))", "Default": 1},
                         {"Name": "y", "Type": "int", "Values": "[0, 1]", "Default": 0}],
    "Conditions": [{"Expression": "x > 2 or y == 0", "Parameters": ["x", "y"]}]}}
)json");
  EXPECT_EQ(search::to_text(load_space_file(file).size()), "8");
}

TEST(SpaceFile, SaysWhatIsWrongWithAFile) {
  const TemporaryFolder folder;
  for (const char* text : {"", "[]", "{}", R"json({"parameters": {"a": 3}} )json",
                           R"json({"parameters": {"a": [1]}, "constraints": ["a +"]} )json",
                           R"json({"ConfigurationSpace": {"TuningParameters": [{"Name": "x", "Values": "[1,"}]}} )json"}) {
    EXPECT_THROW(load_space_file(folder.write("bad.json", text)), RequestError) << text;
  }
  EXPECT_THROW(load_space_file(folder.path() / "none.json"), RequestError);
}
// clang-format on

TEST(T1, ReadsPythonListsAndRanges) {
  EXPECT_EQ(texts(t1_values("[1, 2.5, 'a', True]")), "1 2.5 a true ");
  EXPECT_EQ(texts(t1_values("list(range(3))")), "0 1 2 ");
  EXPECT_EQ(texts(t1_values("[1] + list(range(32, 97, 32))")), "1 32 64 96 ");
  EXPECT_EQ(texts(t1_values("[2**i for i in range(0, 4)]")), "1 2 4 8 ");
}

TEST(T1, EvaluatesNothingElse) {
  for (const char* text : {"__import__('os')", "[1, 2", "range(0, 10**9)", "[1] * 3", "list(list(list(",
                           "[f(i) for i in range(3)]", "[i for i in range(3)"})
    EXPECT_THROW(t1_values(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace warptune::tuner
