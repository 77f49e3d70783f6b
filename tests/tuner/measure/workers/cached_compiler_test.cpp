#include "tuner/measure/cache/cached_compiler.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/temporary_folder.h"
#include "tuner/device/compile/compiler.h"

namespace warptune::tuner {
namespace {

// Counts what it is asked to compile; a source that holds "fail" does not compile.
class CountingCompiler : public Compiler {
 public:
  explicit CountingCompiler(int& count) : count_(count) {}
  std::string version() const override { return "counting 1"; }
  std::string preprocess(const CompileRequest& request) override { return request.source; }
  CompileResult compile(const CompileRequest& request) override {
    ++count_;
    if (request.source.find("full") != std::string::npos)
      return {std::nullopt, "error: No space left on device", false};
    if (request.source.find("killed") != std::string::npos)
      return {std::nullopt, "k.cu:1: error: the end of it is missing", false, true};
    if (request.source.find("recovers") != std::string::npos && count_ % 3 != 0) return {std::nullopt, "", false, true};
    if (request.source.find("slow") != std::string::npos) return {std::nullopt, "error: too slow", true};
    if (request.source.find("fail") != std::string::npos) return {std::nullopt, "error: \xff wrong", false};
    return {MachineCode{{std::byte{1}, std::byte{0}}, {{"f<1>", "_f1"}}}, "a warning", false};
  }

 private:
  int& count_;
};

class CachedCompilerTest : public testing::Test {
 protected:
  CachedCompilerTest() {
    folder_.write("include/shared.h", "int shared = 1;\n");
    request_.name = "k/kernel.cu";
    request_.source = "#if A == 2\n#include \"shared.h\"\n#endif\nvoid f();\n";
    request_.include_directories = {folder_.path() / "include"};
    request_.defines = {{"A", "1"}};
    request_.kernels = {"f<1>"};
  }

  // As another process would: with a compiler of its own.
  CachedCompiler::Fetched fetch(const CompileRequest& request, const std::string& salt = "") {
    DeviceInfo device;
    device.backend = "host";
    device.code_traits = code_traits_;
    return CachedCompiler(std::make_unique<CountingCompiler>(compiled_), device, {folder_.path() / "cache"}, {}, salt)
        .fetch(request);
  }

  TemporaryFolder folder_;
  CompileRequest request_;
  std::string code_traits_;
  int compiled_ = 0;
};

TEST_F(CachedCompilerTest, TheSameIsCompiledOnce) {
  EXPECT_FALSE(fetch(request_).hit);
  const auto again = fetch(request_);
  EXPECT_TRUE(again.hit);
  EXPECT_EQ(compiled_, 1);
  ASSERT_TRUE(again.result.code);
  EXPECT_EQ(again.result.code->bytes, (std::vector<std::byte>{std::byte{1}, std::byte{0}}));
  EXPECT_EQ(again.result.code->linkage_names.at("f<1>"), "_f1");
  EXPECT_EQ(again.result.log, "a warning");
}

TEST_F(CachedCompilerTest, WhateverTheCodeDependsOnIsPartOfTheKey) {
  fetch(request_);
  int expected = 1;
  const auto changed = [&](const std::function<void(CompileRequest&)>& change) {
    CompileRequest other = request_;
    change(other);
    fetch(other);
    EXPECT_EQ(compiled_, ++expected);
  };
  changed([](CompileRequest& r) { r.source += " "; });
  changed([](CompileRequest& r) { r.defines[0].second = "2"; });
  changed([](CompileRequest& r) { r.options = {"-O1"}; });
  changed([](CompileRequest& r) { r.kernels = {"f<2>"}; });
  changed([](CompileRequest& r) { r.symbols = {"table"}; });
  fetch(request_, "another shim");
  EXPECT_EQ(compiled_, ++expected);
  code_traits_ = "another processor of the same name";
  fetch(request_);
  EXPECT_EQ(compiled_, ++expected);
}

TEST_F(CachedCompilerTest, AnIncludesContentCountsEvenWhereAConditionHidesItNow) {
  fetch(request_);
  folder_.write("include/shared.h", "int shared = 2;\n");
  fetch(request_);
  EXPECT_EQ(compiled_, 2);
}

TEST_F(CachedCompilerTest, AnIncludeNamedByAMacroIsFollowed) {
  request_.source = "#include HEADER\nvoid f();\n";
  request_.defines = {{"HEADER", "\"shared.h\""}};
  fetch(request_);
  fetch(request_);
  EXPECT_EQ(compiled_, 1);
  folder_.write("include/shared.h", "int shared = 2;\n");
  fetch(request_);
  EXPECT_EQ(compiled_, 2);
}

TEST_F(CachedCompilerTest, ErrorsOfTheSourceAreRememberedTroubleOfTheMachineIsNot) {
  request_.source = "fail";
  fetch(request_);
  EXPECT_EQ(fetch(request_).result.log, "error: \xff wrong");
  EXPECT_EQ(compiled_, 1);
  for (const char* source : {"full", "slow"}) {
    compiled_ = 0;
    request_.source = source;
    fetch(request_);
    EXPECT_FALSE(fetch(request_).hit) << source;
    EXPECT_EQ(compiled_, 2) << source;
  }
}

TEST_F(CachedCompilerTest, ACompilerThatCameToNoVerdictIsAskedAgainAndNeverQuoted) {
  request_.source = "recovers";
  EXPECT_TRUE(fetch(request_).result.code);
  EXPECT_EQ(compiled_, 3);
  EXPECT_TRUE(fetch(request_).hit);
  compiled_ = 0;
  request_.source = "killed";
  EXPECT_TRUE(fetch(request_).result.unfinished);
  EXPECT_FALSE(fetch(request_).hit);
  EXPECT_EQ(compiled_, 6);
}

TEST_F(CachedCompilerTest, AnIncludeThatOnlyAPreprocessorSeesIsFollowed) {
  request_.source = "#define HDR \"shared.h\"\n#inc\\\nlude HDR\nvoid f();\n";
  fetch(request_);
  EXPECT_TRUE(fetch(request_).hit);
  folder_.write("include/shared.h", "int shared = 2;\n");
  EXPECT_FALSE(fetch(request_).hit);
}

TEST(CompilersWords, AreTheMachinesOrTheSources) {
  EXPECT_TRUE(
      tells_of_the_machine("g++: fatal error: Terminated signal terminated program cc1plus\ncompilation terminated."));
  EXPECT_TRUE(tells_of_the_machine("cc1plus: out of memory allocating 65536 bytes after a total of 1 bytes"));
  EXPECT_TRUE(
      tells_of_the_machine("g++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable"));
  EXPECT_TRUE(tells_of_the_machine("clang: error: unable to execute command: Killed"));
  EXPECT_FALSE(tells_of_the_machine("k.cu:1:2: error: #error Killed: out of memory"));
  EXPECT_FALSE(tells_of_the_machine("k.cu:3:1: error: expected ';' before '}' token"));
}

}  // namespace
}  // namespace warptune::tuner
