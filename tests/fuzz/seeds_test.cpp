// The fuzzer's functions on what is under seeds/: inputs that once broke something, and good ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fuzz/targets.h"
#include "tests/support/places.h"

namespace warptune::fuzz {
namespace {

class Seeds : public testing::TestWithParam<Target> {};

TEST_P(Seeds, EndAsErrorsOrResults) {
  std::size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(source_folder()) /
                                                               "tests/fuzz/seeds" / GetParam().name)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    std::stringstream content;
    content << stream.rdbuf();
    SCOPED_TRACE(entry.path().filename());
    EXPECT_NO_THROW(GetParam().run(content.str()));
    ++inputs;
  }
  EXPECT_GT(inputs, 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, Seeds, testing::ValuesIn(targets()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace warptune::fuzz
