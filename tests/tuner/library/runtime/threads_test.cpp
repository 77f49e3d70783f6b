// The runtime under many threads, over a device of the test's own: nothing is compiled, launches are written down.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tests/tuner/library/runtime/two_stage_template.h"
#include "tuner/library/runtime/impl.h"

namespace warptune::runtime {
namespace {

struct SeenLaunch {
  std::string kernel;
  Stream stream;
  const void* second_argument;  // of "stage": its scratch memory
};

struct Seen {
  std::mutex mutex;
  std::vector<SeenLaunch> launches;
};

class NotedFunction : public Function {
 public:
  NotedFunction(std::string name, Seen& seen) : name_(std::move(name)), seen_(seen) {}
  void launch(const tuner::LaunchGeometry&, Stream stream, std::span<void*> arguments) override {
    const void* second = nullptr;
    std::memcpy(&second, arguments[1], sizeof second);
    const std::scoped_lock lock(seen_.mutex);
    seen_.launches.push_back({name_, stream, second});
  }

 private:
  std::string name_;
  Seen& seen_;
};

class NotedProgram : public Program {
 public:
  explicit NotedProgram(Seen& seen) : stage_("stage", seen), finish_("finish", seen) {}
  Function& function(const std::string& name, const tuner::LaunchGeometry&) override {
    return name == "stage" ? stage_ : finish_;
  }
  tuner::MemorySpan symbol(const std::string&) override { return {1, 64}; }

 private:
  NotedFunction stage_, finish_;
};

class HostMemory : public tuner::Memory {
 public:
  explicit HostMemory(std::size_t bytes) : data_(bytes) {}
  tuner::MemorySpan span() const override { return {reinterpret_cast<std::uintptr_t>(data_.data()), data_.size()}; }

 private:
  std::vector<std::byte> data_;
};

class NoCompiler : public tuner::Compiler {
 public:
  explicit NoCompiler(tuner::CompileResult result) : result_(std::move(result)) {}
  std::string version() const override { return "none"; }
  std::string preprocess(const tuner::CompileRequest& request) override { return request.source; }
  tuner::CompileResult compile(const tuner::CompileRequest&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // so that threads meet here
    return result_;
  }

 private:
  tuner::CompileResult result_;
};

class NotedTarget : public Target {
 public:
  explicit NotedTarget(Seen& seen, tuner::CompileResult result = {tuner::MachineCode{}, "", false})
      : seen_(seen), compiler_(std::move(result)) {
    info_.backend = "cuda";
    info_.name = "Test GPU";
    info_.compute_capability = 90;
    for (auto* limit : {&info_.max_threads_per_block, &info_.max_block_x, &info_.max_block_y, &info_.max_block_z,
                        &info_.max_grid_x, &info_.max_grid_y, &info_.max_grid_z})
      *limit = 1024;
  }
  const tuner::DeviceInfo& info() const override { return info_; }
  tuner::Compiler& compiler() override { return compiler_; }
  std::unique_ptr<Program> load(const tuner::MachineCode&) override { return std::make_unique<NotedProgram>(seen_); }
  std::unique_ptr<tuner::Memory> allocate(std::size_t bytes) override { return std::make_unique<HostMemory>(bytes); }
  tuner::TensorMap encode_tensor_map(const tuner::TensorView&, tuner::MemorySpan) override { return {}; }
  void clear(tuner::MemorySpan, Stream) override {}
  void copy(tuner::MemorySpan, tuner::MemorySpan, Stream) override {}
  void download(std::span<std::byte>, tuner::MemorySpan, Stream) override {}

 private:
  Seen& seen_;
  tuner::DeviceInfo info_;
  NoCompiler compiler_;
};

class RuntimeThreads : public testing::Test {
 protected:
  RuntimeThreads() { tuner::write_two_stage_template(files_); }

  static void launch(const Kernel& kernel, std::int64_t n, Stream stream = nullptr) {
    kernel.launch(stream, {{"n", n}}, nullptr, nullptr, nullptr, nullptr);
  }
  static void in_threads(int count, const std::function<void(int)>& work) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  }

  TemporaryFolder files_;
  Seen seen_;
  Runtime runtime_{std::make_shared<Runtime::Impl>(std::make_unique<NotedTarget>(seen_), Options{})};
};

TEST_F(RuntimeThreads, ManySizesAtOnceCompileEachConfigurationOnce) {
  const Kernel kernel = runtime_.load(
      files_.path(), tuner::write_two_stage_wisdom(files_, {tuner::two_stage_entry("Test GPU", 90, 100, 64),
                                                            tuner::two_stage_entry("Test GPU", 90, 10000, 128)}));
  in_threads(8, [&](int thread) {
    for (int i = 0; i < 100; ++i) launch(kernel, i % 2 == 0 ? 100 + (thread + i) % 16 : 10000 + (thread + i) % 16);
  });
  EXPECT_EQ(runtime_.counts().compiled, 2);
  EXPECT_EQ(seen_.launches.size(), 8u * 100 * 2);
}

TEST_F(RuntimeThreads, EachStreamHasScratchMemoryOfItsOwn) {
  const Kernel kernel = runtime_.load(files_.path());
  int streams[4] = {};
  in_threads(4, [&](int thread) {
    for (int i = 0; i < 50; ++i) launch(kernel, 500, &streams[thread]);
  });
  std::map<Stream, std::set<const void*>> scratch;
  for (const SeenLaunch& seen : seen_.launches)
    if (seen.kernel == "stage") scratch[seen.stream].insert(seen.second_argument);
  std::set<const void*> all;
  for (const auto& [stream, used] : scratch) {
    EXPECT_EQ(used.size(), 1u);
    all.insert(used.begin(), used.end());
  }
  EXPECT_EQ(all.size(), 4u);
}

TEST_F(RuntimeThreads, LaunchesThatShareScratchMemoryAreNotInterleaved) {
  const Kernel kernel = runtime_.load(files_.path());
  in_threads(4, [&](int) {
    for (int i = 0; i < 100; ++i) launch(kernel, 500);
  });
  for (std::size_t i = 0; i < seen_.launches.size(); ++i)
    ASSERT_EQ(seen_.launches[i].kernel, i % 2 == 0 ? "stage" : "finish") << i;
}

TEST_F(RuntimeThreads, AskingForARecordWhileOthersLaunchRecordsOne) {
  const Kernel kernel = runtime_.load(files_.path());
  in_threads(4, [&](int thread) {
    for (int i = 0; i < 50; ++i) {
      if (thread == 0 && i == 10) kernel.capture_next(files_.path() / "call.json");
      launch(kernel, 500);
    }
  });
  EXPECT_TRUE(std::filesystem::exists(files_.path() / "call.json"));
}

TEST(RuntimeErrors, ACompilationThatCameToNoEndIsNotSaidNotToCompile) {
  const TemporaryFolder files;
  tuner::write_two_stage_template(files);
  const auto error_with = [&](tuner::CompileResult result) -> std::string {
    Seen seen;
    Options options;
    options.compile_timeout_s = 2.5;
    const Runtime runtime(std::make_shared<Runtime::Impl>(std::make_unique<NotedTarget>(seen, result), options));
    try {
      runtime.load(files.path()).prepare({{"n", 4}});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  tuner::CompileResult result{std::nullopt, "the compiler's words", true};
  EXPECT_THAT(error_with(result),
              testing::AllOf(testing::HasSubstr("took longer than 2.5 s"), testing::HasSubstr("compile_timeout_s"),
                             testing::HasSubstr("the compiler's words")));
  result.timed_out = false;
  result.unfinished = true;
  EXPECT_THAT(error_with(result), testing::HasSubstr("did not end, which is not its source's fault"));
  result.unfinished = false;
  EXPECT_THAT(error_with(result), testing::HasSubstr("does not compile:\nthe compiler's words"));
}

}  // namespace
}  // namespace warptune::runtime
