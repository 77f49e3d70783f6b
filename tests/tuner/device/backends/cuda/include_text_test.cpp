#include "tuner/device/compile/include_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tuner/device/backends/cuda/compile/options.h"

namespace warptune::tuner::cuda {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class IncludeText : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root_ / "toolkit");
    request_.include_directories = {root_};
  }
  void write(const std::string& file, const std::string& text) { folder_.write(file, text); }
  std::string text() { return include_text(request_, {root_ / "toolkit"}); }

  TemporaryFolder folder_;
  const std::filesystem::path root_ = folder_.path();
  CompileRequest request_;
};

TEST_F(IncludeText, HoldsTheDefinesAndTheSource) {
  request_.source = "int x = N;";
  request_.defines = {{"N", "4"}, {"TYPE", "float"}};
  EXPECT_EQ(text(), "#define N 4\n#define TYPE float\nint x = N;\n");
}

TEST_F(IncludeText, FollowsIncludesThroughEveryKindOfFolder) {
  write("near.h", "near text\n#include \"deep/er.h\"\n");
  write("deep/er.h", "deeper text\n  #  include \"sibling.h\"  // why\n");
  write("deep/sibling.h", "sibling text\n");
  write("toolkit/cuda_thing.h", "toolkit text\n");
  request_.source = "#include \"near.h\"\n#include <cuda_thing.h>\n";
  EXPECT_THAT(text(), AllOf(HasSubstr("near text"), HasSubstr("deeper text"), HasSubstr("sibling text"),
                            HasSubstr("toolkit text"), Not(HasSubstr("include"))));
}

TEST_F(IncludeText, ChangesWithAnIncludedFile) {
  write("a.h", "#include \"b.h\"");
  write("b.h", "old");
  request_.source = "#include \"a.h\"\n";
  const auto before = text();
  EXPECT_EQ(text(), before);
  write("b.h", "new");
  EXPECT_NE(text(), before);
}

// A kernel's own winners, which change no configuration where its parameters are given.
TEST_F(IncludeText, LeavesOutWhatWasExportedOfTheKernelThatIsCompiled) {
  request_.source = "#include \"tuned.h\"\n";
  request_.defines = {{"N", "4"}};
  const auto before = text();
  const std::string begin = "/* written by warptune */\n#if defined(WARPTUNE_TUNING) && defined(N)";
  write("tuned.h", begin + "\n#else\n#define N 5\n#endif\n");
  EXPECT_EQ(text(), before);
  write("tuned.h", begin + "\n#define MY_N N\n#else\n#define MY_N 5\n#endif\n");
  EXPECT_THAT(text(), AllOf(HasSubstr("#define MY_N N\n"), Not(HasSubstr("MY_N 5"))));
  write("tuned.h", begin + " && defined(M)\n#else\n#define N 5\n#endif\n");  // another kernel's
  EXPECT_THAT(text(), HasSubstr("#define N 5"));
}

TEST_F(IncludeText, PrefersTheRequestsFoldersOverTheToolkit) {
  write("same.h", "mine");
  write("toolkit/same.h", "theirs");
  request_.source = "#include <same.h>\n";
  EXPECT_THAT(text(), AllOf(HasSubstr("mine"), Not(HasSubstr("theirs"))));
}

TEST_F(IncludeText, FollowsAnIncludeGivenByADefine) {
  write("chosen.h", "chosen text");
  request_.defines = {{"HEADER", "\"chosen.h\""}};
  request_.source = "#include HEADER\n";
  EXPECT_THAT(text(), HasSubstr("chosen text"));
}

TEST_F(IncludeText, EndsWhereFilesIncludeEachOther) {
  write("a.h", "a text\n#include \"b.h\"\n");
  write("b.h", "b text\n#include \"a.h\"\n");
  request_.source = "#include \"a.h\"\n#include \"b.h\"\n";
  EXPECT_THAT(text(), AllOf(HasSubstr("a text"), HasSubstr("b text")));
}

TEST_F(IncludeText, KeepsTheLinesOfHeadersThatTheCompilerBringsItself) {
  request_.source = "#include <cuda/std/nothing>\nint x;\n";
  EXPECT_EQ(text(), request_.source);
}

TEST_F(IncludeText, IsTheSameInAnotherFolder) {
  write("one/a.h", "text");
  write("two/a.h", "text");
  request_.source = "#include \"a.h\"\n";
  request_.include_directories = {root_ / "one"};
  const auto first = text();
  request_.include_directories = {root_ / "two"};
  EXPECT_EQ(text(), first);
}

constexpr char tuning[] = "--define-macro=WARPTUNE_TUNING=1";

TEST(CompilerOptions, AreArchitectureThenOwnThenFolders) {
  CompileRequest request{.defines = {{"N", "4"}}, .options = {"-std=c++17", "-no-cache"}};
  request.include_directories = {"/mine"};
  EXPECT_THAT(compiler_options(request, "sm_90", {"/toolkit"}),
              ElementsAre("--gpu-architecture=sm_90", "-std=c++17", "-no-cache", tuning, "--include-path=/mine",
                          "--include-path=/toolkit"));
}

TEST(CompilerOptions, HoldTheDefinesOnlyWhereAHeaderIsReadBeforeTheSource) {
  CompileRequest request{.defines = {{"N", "4"}, {"TYPE", "unsigned char"}}};
  EXPECT_EQ(define_lines(request), "#define N 4\n#define TYPE unsigned char\n");
  request.options = {"--pre-include=a.h"};
  EXPECT_EQ(define_lines(request), "");
  EXPECT_THAT(compiler_options(request, "sm_90", {}),
              ElementsAre("--gpu-architecture=sm_90", "--pre-include=a.h", tuning, "--define-macro=N=4",
                          "--define-macro=TYPE=unsigned char"));
}

TEST(CompilerOptions, TakeAVariantOfTheDevicesArchitectureOnly) {
  const CompileRequest request{.options = {"-arch=sm_90a", "--gpu-architecture=sm_100f", "--gpu-architecture=sm_75"}};
  EXPECT_THAT(compiler_options(request, "sm_90", {}), ElementsAre("--gpu-architecture=sm_90a", tuning));
  EXPECT_THAT(compiler_options(request, "sm_100", {}), ElementsAre("--gpu-architecture=sm_100f", tuning));
  EXPECT_THAT(compiler_options(request, "sm_80", {}), ElementsAre("--gpu-architecture=sm_80", tuning));
}

TEST_F(IncludeText, HoldsWarptunesOwnHeadersWhereNoFolderHasThem) {
  request_.source = "#include <warptune/device/look_back.cuh>\n";
  EXPECT_THAT(text(), AllOf(HasSubstr("struct TileSums"), HasSubstr("warp_inclusive_sum"), Not(HasSubstr("#include"))));
  request_.source = "/* no plain line */ #include <warptune/device/warp.cuh>\n";
  EXPECT_THAT(text(), HasSubstr("warp_inclusive_sum"));
  write("warptune/device/warp.cuh", "mine\n");
  request_.source = "#include <warptune/device/warp.cuh>\n";
  EXPECT_THAT(text(), HasSubstr("mine"));
  // A session's copy has all that it knows of.
  request_.root = root_;
  request_.source = "#include <warptune/device/vectors.cuh>\n";
  EXPECT_THAT(text(), Not(HasSubstr("struct VectorOf")));
}

}  // namespace
}  // namespace warptune::tuner::cuda
