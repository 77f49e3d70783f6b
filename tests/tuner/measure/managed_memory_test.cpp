// The transfers template's trials over the fake driver: where pages are when a sample begins, and what moves them.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/support/places.h"
#include "tests/tuner/device/backends/cuda/fake_gpu.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/trial_runner.h"

namespace warptune::tuner {
namespace {

constexpr std::int64_t elements = 5000;
constexpr std::size_t data_bytes = elements * sizeof(float);

class ManagedMemoryOnCuda : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    options_.library_directories.push_back(FAKE_LIBRARIES_DIR "/nvrtc");
    device_ = open();
    compiler_ = cuda::entry().compiler(device_->info(), options_);
    constants_ = problem_constants({{"SIZE", elements}}, device_->info());
    workload_ = std::make_unique<Workload>(kernel_, constants_, *device_, *compiler_, options_, true);
  }

  search::Trial trial(const std::string& memory, bool prefetch, std::int64_t chunks = 1, std::int64_t streams = 1) {
    search::NamedValues scope = scope_of(constants_, {{"MEMORY", memory},
                                                      {"PREFETCH", prefetch},
                                                      {"CHUNKS", chunks},
                                                      {"STREAMS", streams},
                                                      {"BLOCK_SIZE", std::int64_t{256}}});
    MeasurePolicy policy;
    policy.max_samples = policy.min_samples = samples;
    policy.warmup_seconds = 0;
    fake_->prefetches.clear();
    fake_->launches.clear();
    fake_->copies.clear();
    search::Trial trial;
    TrialRunner runner(kernel_, *workload_, *device_, policy, [this] { return now_s_ += 0.001; });
    runner.run(code({"add"}), scope, Purpose::trial, trial);
    return trial;
  }

  // The number of launches before each launch of the kernel.
  std::vector<std::size_t> runs() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < fake_->launches.size(); ++i)
      if (fake_->launches[i] == "add") found.push_back(i);
    return found;
  }

  // Of those between two launches: the memory whose pages last went to the host, and that whose pages to the device.
  std::pair<std::size_t, std::size_t> moved_since(std::size_t launch, std::size_t until) const {
    std::map<CUdeviceptr, bool> last;
    for (const fakes::FakePrefetch& prefetch : fake_->prefetches)
      if (prefetch.launches_before > launch && prefetch.launches_before <= until)
        last[prefetch.address] = prefetch.to_host;
    const auto to_host =
        static_cast<std::size_t>(std::ranges::count(last, true, [](const auto& at) { return at.second; }));
    return {to_host, last.size() - to_host};
  }

  static constexpr int samples = 3;
  KernelTemplate kernel_ = load_manifest(source_folder() + "/templates/transfers");
  std::unique_ptr<Device> device_;
  std::unique_ptr<Compiler> compiler_;
  search::NamedValues constants_;
  std::unique_ptr<Workload> workload_;
  double now_s_ = 0;
};

TEST_F(ManagedMemoryOnCuda, IsOnTheHostBeforeEverySample) {
  const search::Trial done = trial("managed", false);
  EXPECT_EQ(done.outcome, search::Outcome::correct) << done.message;
  const auto runs = this->runs();
  ASSERT_GE(runs.size(), 1u + samples);
  std::size_t before = 0;
  for (const std::size_t run : runs) {
    EXPECT_EQ(moved_since(before, run), (std::pair<std::size_t, std::size_t>(3, 0))) << "a, b and c";
    before = run;
  }
  // Nothing but that: the pages that a run needs move by themselves.
  EXPECT_TRUE(std::ranges::all_of(fake_->prefetches, &fakes::FakePrefetch::to_host));
}

TEST_F(ManagedMemoryOnCuda, IsSentToTheDeviceAndBackByEveryRunThatPrefetches) {
  const search::Trial done = trial("managed", true);
  EXPECT_EQ(done.outcome, search::Outcome::correct) << done.message;
  const auto count = [this](bool to_host, std::size_t bytes) {
    return std::ranges::count_if(fake_->prefetches, [=](const fakes::FakePrefetch& prefetch) {
      return prefetch.to_host == to_host && prefetch.bytes == bytes;
    });
  };
  const auto runs = static_cast<std::ptrdiff_t>(this->runs().size());
  EXPECT_EQ(count(false, data_bytes), 3 * runs);
  EXPECT_EQ(count(true, data_bytes), runs);
  // What is staged is all of the allocation, guard bands included.
  EXPECT_EQ(static_cast<std::ptrdiff_t>(fake_->prefetches.size()), 3 * runs + runs + 3 * runs);
}

TEST_F(ManagedMemoryOnCuda, IsPrefetchedChunkByChunkInEachChunksStream) {
  const search::Trial done = trial("managed", true, 4, 2);
  EXPECT_EQ(done.outcome, search::Outcome::correct) << done.message;
  std::set<CUstream> streams;
  std::size_t bytes = 0, chunks = 0;
  for (const fakes::FakePrefetch& prefetch : fake_->prefetches)
    if (!prefetch.to_host) streams.insert(prefetch.stream), bytes += prefetch.bytes, ++chunks;
  EXPECT_EQ(streams.size(), 2u);
  const std::size_t runs = chunks / 9;  // 5000 elements are three chunks of up to 2048
  EXPECT_EQ(runs * 3, this->runs().size());
  EXPECT_EQ(bytes, runs * 3 * data_bytes);
}

TEST_F(ManagedMemoryOnCuda, IsNeitherCopiedInARunNorKeptForOtherKinds) {
  const auto copies = [this] { return std::ranges::count(fake_->copies, data_bytes, &fakes::FakeCopy::bytes); };
  trial("managed", false);
  EXPECT_EQ(copies(), 0) << "between host and device";
  const search::Trial pinned = trial("pinned", false);
  EXPECT_EQ(pinned.outcome, search::Outcome::correct) << pinned.message;
  EXPECT_TRUE(fake_->prefetches.empty());
  EXPECT_GE(copies(), 3 * static_cast<std::ptrdiff_t>(runs().size()));
  EXPECT_EQ(trial("mapped", false).outcome, search::Outcome::correct);
  EXPECT_TRUE(fake_->prefetches.empty());
}

TEST_F(ManagedMemoryOnCuda, GivesKernelsOneAddressOfTheHostsAndTheDevices) {
  std::set<CUdeviceptr> given;
  fake_->on_launch = [&](const fakes::FakeLaunch& launch) {
    if (launch.kernel != "add") return;
    for (int i = 0; i < 3; ++i) given.insert(*static_cast<const CUdeviceptr*>(launch.arguments[i]));
  };
  trial("managed", false);
  EXPECT_EQ(given.size(), 3u);
  for (const char* name : {"a", "b", "c"})
    EXPECT_TRUE(given.contains(reinterpret_cast<CUdeviceptr>(workload_->host_span(name).data()))) << name;
}

TEST_F(ManagedMemoryOnCuda, IsAResourceLimitWhereTheDeviceHasNone) {
  fake_->concurrent_managed_access = false;
  const search::Trial refused = trial("managed", false);
  EXPECT_EQ(refused.outcome, search::Outcome::resource_limit);
  EXPECT_THAT(refused.message, testing::HasSubstr("concurrent access to managed memory"));
  EXPECT_EQ(trial("pinned", false).outcome, search::Outcome::correct);
}

}  // namespace
}  // namespace warptune::tuner
