// The system's compiler behind the seam: logs, defines, includes, timeouts, leftovers.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/tuner/backends/host/host_fixture.h"
#include "tuner/backends/host/child_process.h"
#include "tuner/device/scratch_folder.h"

namespace warptune::tuner::host {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// Of this process: other tests compile at the same time.
std::size_t folders_left() {
  const auto ours = [](const fs::directory_entry& entry) {
    return entry.path().filename().string().rfind("warptune-" + std::to_string(getpid()) + "-", 0) == 0;
  };
  return static_cast<std::size_t>(std::count_if(fs::directory_iterator("/tmp"), fs::directory_iterator(), ours));
}

TEST(HostCompiler, AnErrorIsAResultWhoseLogPointsIntoTheSource) {
  const CompileResult result =
      shared_compiler().compile(request("\n\n__global__ void k(int* out) { *out = missing; }\n", {"k"}));
  EXPECT_FALSE(result.code.has_value());
  EXPECT_FALSE(result.timed_out);
  EXPECT_THAT(result.log, HasSubstr("test/kernel.cu:3"));
  EXPECT_THAT(result.log, HasSubstr("missing"));
}

TEST(HostCompiler, AKernelThatIsNotThereIsNamedInTheLog) {
  const CompileResult result = shared_compiler().compile(request("__global__ void k() {}", {"gone"}));
  EXPECT_FALSE(result.code.has_value());
  EXPECT_THAT(result.log, HasSubstr("kernel name gone"));
}

TEST(HostCompiler, DefinesReachTheSourceButNotTheShim) {
  CompileRequest wanted = request("__global__ void k(int* out) { *out = N + T * 2 + FLAG; }", {"k"});
  wanted.defines = {{"N", "100"}, {"T", "7"}, {"FLAG", "1"}, {"A", "0"}, {"wait", "0"}};
  auto module = build(wanted);
  Buffer<int> out(1);
  launch(*module, "k", {}, out.get());
  EXPECT_EQ(out.read()[0], 115);
}

TEST(HostCompiler, IncludesComeFromTheRequestsFolders) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "part.h") << "__device__ inline float part(float x) { return sqrtf(x) + PART; }\n";
  CompileRequest wanted = request("#include \"part.h\"\n__global__ void k(float* out) { *out = part(4); }", {"k"});
  wanted.include_directories = {folder.path()};
  wanted.defines = {{"PART", "0.5f"}};
  auto module = build(wanted);
  Buffer<float> out(1);
  launch(*module, "k", {}, out.get());
  EXPECT_EQ(out.read()[0], 2.5f);
  EXPECT_THAT(shared_compiler().preprocess(wanted), HasSubstr("return sqrtf(x) + 0.5f"));
}

TEST(HostCompiler, PreprocessingTellsDifferentDefinesApartAndForgetsComments) {
  CompileRequest one = request("// comment\n__global__ void k(int* out) { *out = N; }", {"k"}), two = one;
  one.defines = {{"N", "1"}};
  two.defines = {{"N", "2"}};
  EXPECT_NE(shared_compiler().preprocess(one), shared_compiler().preprocess(two));
  EXPECT_THAT(shared_compiler().preprocess(one), Not(HasSubstr("comment")));
  two = one;
  two.source = "// other words\n\n__global__ void k(int* out) { *out = N; }";
  EXPECT_EQ(shared_compiler().preprocess(one), shared_compiler().preprocess(two));
}

TEST(HostCompiler, ManyCompilesAtOnceDoNotDisturbEachOther) {
  std::vector<CompileResult> results(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      CompileRequest wanted = request("__global__ void k(int* out) { *out = N; }", {"k"});
      wanted.defines = {{"N", std::to_string(i)}};
      results[i] = shared_compiler().compile(wanted);
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i].code.has_value()) << results[i].log;
    auto module = shared_device().load(*results[i].code);
    Buffer<int> out(1);
    launch(*module, "k", {}, out.get());
    EXPECT_EQ(out.read()[0], static_cast<int>(i));
  }
}

TEST(HostCompiler, ACompileThatTakesTooLongIsEndedAndLeavesNothingBehind) {
  BackendOptions options;
  options.compile_timeout_s = 1;
  auto compiler = entry().compiler({}, options);
  const std::size_t before = folders_left();
  // Instantiates 2^40 templates.
  const CompileResult result = compiler->compile(request(R"(
    template <int Depth, long long I> struct Tree { static const long long value = Tree<Depth - 1, 2 * I>::value + Tree<Depth - 1, 2 * I + 1>::value; };
    template <long long I> struct Tree<0, I> { static const long long value = I; };
    __global__ void k(long long* out) { *out = Tree<40, 1>::value; }
  )",
                                                         {"k"}));
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.code.has_value());
  EXPECT_LE(folders_left(), before);
}

TEST(HostCompiler, StatesItsVersionBriefly) {
  EXPECT_THAT(shared_compiler().version(), ::testing::MatchesRegex("(g|clang)\\+\\+ [0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(HostCompiler, AnAbsentCompilerIsNoDevice) {
  BackendOptions options;
  options.host_compiler = "no-such-compiler";
  EXPECT_THROW(entry().compiler({}, options), NoDeviceError);
}

TEST(ChildProcess, CollectsBothStreamsAndTheStatus) {
  const ChildResult result = run_child({"sh", "-c", "cat; echo problem >&2; exit 3"}, "hello", {});
  EXPECT_EQ(result.output, "hello");
  EXPECT_EQ(result.log, "problem\n");
  EXPECT_EQ(result.exit_status, 3);
}

TEST(ChildProcess, ATimeoutEndsGrandchildrenToo) {
  ChildLimits limits;
  limits.timeout_s = 0.2;
  // Returns only when every holder of the stream is gone.
  const ChildResult result = run_child({"sh", "-c", "sleep 1000 & echo $!; wait"}, "", limits);
  EXPECT_TRUE(result.timed_out);
  const std::string state = "/proc/" + result.output.substr(0, result.output.find('\n')) + "/stat";
  for (int i = 0; i < 100 && fs::exists(state); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::string line;
  std::getline(std::ifstream(state), line);
  EXPECT_TRUE(line.empty() || line.find(") Z ") != std::string::npos) << line;
}

TEST(ChildProcess, AnEndlessLogIsCut) {
  ChildLimits limits;
  limits.log_bytes = 1000;
  const ChildResult result = run_child({"sh", "-c", "head -c 100000 /dev/zero >&2"}, "", limits);
  EXPECT_LT(result.log.size(), 1100u);
  EXPECT_THAT(result.log, HasSubstr("left out"));
}

}  // namespace
}  // namespace warptune::tuner::host
