// When two problems of a template share their machine code.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/small_template.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/workers/shared_pool.h"

namespace warptune::tuner::workers {
namespace {

class CodeName : public testing::Test {
 protected:
  // The doubling template, with this in its manifest besides.
  std::string of(std::int64_t n, const std::string& more = "", const std::string& mode = "good") {
    TemporaryFolder folder;
    write_doubling_template(folder, doubling_manifest + more);
    const KernelTemplate kernel = load_manifest(folder.path());
    search::NamedValues values = kernel.default_values;
    for (auto& [name, value] : values)
      if (name == "MODE") value = mode;
    DeviceInfo device;
    return code_name(kernel, "host", problem_constants({{"n", n}}, device), values);
  }
};

TEST_F(CodeName, IsThatOfAllSizesWhereTheSizeIsAnArgument) {
  EXPECT_FALSE(of(1000).empty());
  EXPECT_EQ(of(1000), of(2000));
}

TEST_F(CodeName, IsEachSizesOwnWhereTheSizeIsAMacro) {
  const std::string macro = "\n[defines]\nSIZE = \"n\"\n";
  EXPECT_NE(of(1000, macro), of(2000, macro));
  EXPECT_EQ(of(1000, macro), of(1000, macro));
}

TEST_F(CodeName, IsEachConfigurationsOwn) {
  EXPECT_NE(of(1000, "", "good"), of(1000, "", "wrong"));
}

TEST_F(CodeName, IsEmptyWhereAMacroCannotBeComputed) {
  EXPECT_EQ(of(0, "\n[defines]\nPART = \"1000 // n\"\n"), "");
}

}  // namespace
}  // namespace warptune::tuner::workers
