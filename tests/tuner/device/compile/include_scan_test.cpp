#include "tuner/device/compile/include_scan.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (const IncludeName& name : scan_includes(text).names) names.push_back(name.name);
  return names;
}

TEST(IncludeScan, FindsANameHoweverItsLineIsWritten) {
  EXPECT_THAT(names_in("#include \"a.h\"\n  #  include <b.h>  // why"), ElementsAre("a.h", "b.h"));
  EXPECT_THAT(names_in("/* first */ # /* then */ include /* over\nlines */ \"a.h\""), ElementsAre("a.h"));
  EXPECT_THAT(names_in("#inc\\\nlude \\\n \"a.h\""), ElementsAre("a.h"));
  EXPECT_THAT(names_in("%:include \"a.h\"\n?\?=include \"b.h\"\n#inc?\?/\nlude \"c.h\""),
              ElementsAre("a.h", "b.h", "c.h"));
  EXPECT_THAT(names_in("#if __has_include(\"a.h\") || __has_include (<b.h>)\n#elif __has_include(\"c.h\")"),
              ElementsAre("a.h", "b.h", "c.h"));
  EXPECT_THAT(names_in("#include_next <a.h>\n#import \"b.h\""), ElementsAre("a.h", "b.h"));
}

TEST(IncludeScan, TakesWhatAMacroMayStandFor) {
  const IncludeScan scan = scan_includes("#define HDR \"a.h\"\n#define OTHER <b.h>\n#include HDR\n");
  ASSERT_EQ(scan.names.size(), 2u);
  EXPECT_EQ(scan.names[0].name, "a.h");
  EXPECT_EQ(scan.names[1].name, "b.h");
  EXPECT_TRUE(scan.computed);
  EXPECT_FALSE(scan_includes("#include \"a.h\"\n").computed);
}

TEST(IncludeScan, DoesNotTakeWhatCommentsAndStringsHold) {
  EXPECT_THAT(names_in("// #include \"a.h\"\n/*\n#include \"b.h\"\n*/\nauto s = R\"(\n#include \"c.h\"\n)\";"),
              IsEmpty());
  EXPECT_THAT(names_in("auto s = \"/*\"; int n = 1'000;\n#include \"a.h\"\n// */"), ElementsAre("a.h"));
}

class ReachableFiles : public testing::Test {
 protected:
  std::vector<std::string> from(const std::string& text) {
    const auto read = [](const std::filesystem::path& file) -> std::optional<std::string> {
      std::ifstream stream(file);
      return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    std::vector<std::string> names;
    for (const auto& file : reachable_files({{text, {}}}, {folder_.path()}, read))
      names.push_back(file.lexically_relative(folder_.path()).string());
    return names;
  }
  TemporaryFolder folder_;
};

TEST_F(ReachableFiles, AreFollowedFromFileToFile) {
  folder_.write("a.h", "#include \"deep/b.h\"\n#include \"a.h\"");
  folder_.write("deep/b.h", "#include \"../c.h\"");
  folder_.write("c.h", "");
  folder_.write("unused.h", "");
  EXPECT_THAT(from("#include \"a.h\"\n#include <vector>\n"), ElementsAre("a.h", "deep/b.h", "c.h"));
}

TEST_F(ReachableFiles, AreAllHeadersWhereANameIsComputed) {
  folder_.write("deep/one_4.cuh", "");
  folder_.write("two.h", "");
  folder_.write("data.npy", "");
  EXPECT_THAT(from("#define NAME(n) <deep/one_##n.cuh>\n#include NAME(4)\n"),
              UnorderedElementsAre("deep/one_4.cuh", "two.h"));
}

}  // namespace
}  // namespace warptune::tuner
